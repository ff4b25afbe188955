// An EventLog that passes everything on and lets a test decide how commits end. Tests only.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::testing {

class FaultLog final : public eventstore::EventLog {
 public:
  explicit FaultLog(eventstore::EventLog& inner) : inner_(inner) {}

  // How commits end from now on; not ok: nothing reaches the log.
  std::atomic<eventstore::CommitOutcome> outcome{eventstore::CommitOutcome::ok};
  std::atomic<int> commits{0};
  // Commands of each commit that wrote something.
  std::vector<std::size_t> group_sizes() const {
    const std::lock_guard guard(mutex_);
    return group_sizes_;
  }

  // While held, a commit waits: what is sent meanwhile gathers into one group.
  std::mutex gate;

  eventstore::LogInfo log_info() const override { return inner_.log_info(); }
  std::uint16_t shard_count() const override { return inner_.shard_count(); }
  std::unique_ptr<eventstore::Transaction> begin(
      std::span<const eventstore::ShardId> shards) override {
    return inner_.begin(shards);
  }
  eventstore::CommitOutcome commit(eventstore::Transaction& transaction) override {
    const std::lock_guard passing(gate);
    ++commits;
    const auto wanted = outcome.load();
    if (wanted != eventstore::CommitOutcome::ok) return wanted;
    if (transaction.command_count() > 0) {
      const std::lock_guard guard(mutex_);
      group_sizes_.push_back(transaction.command_count());
    }
    return inner_.commit(transaction);
  }
  eventstore::Offset end(eventstore::ShardId shard) const override { return inner_.end(shard); }
  std::vector<eventstore::Record> read(eventstore::ShardId shard, eventstore::Offset after,
                                       const eventstore::ReadLimits& limits) const override {
    return inner_.read(shard, after, limits);
  }
  std::unique_ptr<eventstore::Subscription> subscribe(eventstore::EndCallback callback) override {
    return inner_.subscribe(std::move(callback));
  }
  std::unique_ptr<eventstore::StateSnapshot> state(eventstore::ShardId shard) const override {
    return inner_.state(shard);
  }
  eventstore::Offset state_position(eventstore::ShardId shard) const override {
    return inner_.state_position(shard);
  }
  void reset_state(eventstore::ShardId shard) override { inner_.reset_state(shard); }
  void apply_state(eventstore::ShardId shard, eventstore::Offset reached,
                   const std::function<void(eventstore::StateWriter&)>& fold) override {
    inner_.apply_state(shard, reached, fold);
  }
  eventstore::VerifyReport verify(eventstore::ShardId shard, eventstore::Offset from,
                                  const eventstore::VerifyProgress& progress) const override {
    return inner_.verify(shard, from, progress);
  }
  eventstore::LogHealth health() const override {
    return {outcome.load() == eventstore::CommitOutcome::ok, false, "as the test wants"};
  }
  bool try_resume() override { return true; }

 private:
  eventstore::EventLog& inner_;
  mutable std::mutex mutex_;
  std::vector<std::size_t> group_sizes_;
};

}  // namespace annolog::testing
