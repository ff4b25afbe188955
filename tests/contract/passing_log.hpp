// An EventLog that passes everything on, for logs that do one thing otherwise. Tests only.
#pragma once

#include <utility>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

class PassingLog : public EventLog {
 public:
  explicit PassingLog(EventLog& inner) : inner_(inner) {}

  LogInfo log_info() const override { return inner_.log_info(); }
  std::uint16_t shard_count() const override { return inner_.shard_count(); }
  std::unique_ptr<Transaction> begin(std::span<const ShardId> shards) override {
    return inner_.begin(shards);
  }
  CommitOutcome commit(Transaction& transaction) override { return inner_.commit(transaction); }
  Offset end(ShardId shard) const override { return inner_.end(shard); }
  Offset latest_end(ShardId shard, std::chrono::milliseconds longest) const override {
    return inner_.latest_end(shard, longest);
  }
  std::vector<Record> read(ShardId shard, Offset after, const ReadLimits& limits) const override {
    return inner_.read(shard, after, limits);
  }
  std::unique_ptr<Subscription> subscribe(EndCallback callback) override {
    return inner_.subscribe(std::move(callback));
  }
  std::unique_ptr<StateSnapshot> state(ShardId shard) const override { return inner_.state(shard); }
  Offset state_position(ShardId shard) const override { return inner_.state_position(shard); }
  void reset_state(ShardId shard) override { inner_.reset_state(shard); }
  void apply_state(ShardId shard, Offset reached,
                   const std::function<void(StateWriter&)>& fold) override {
    inner_.apply_state(shard, reached, fold);
  }
  VerifyReport verify(ShardId shard, Offset from, const VerifyProgress& progress) const override {
    return inner_.verify(shard, from, progress);
  }
  LogHealth health() const override { return inner_.health(); }
  void refresh() override { inner_.refresh(); }
  bool try_resume() override { return inner_.try_resume(); }

 protected:
  EventLog& inner_;
};

}  // namespace annolog::eventstore
