// A log whose next commit gets no answer, and does nothing. Tests only.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "eventstore/kafka/kafka_log.hpp"

namespace annolog::commands {

class UncertainLog final : public eventstore::KafkaLog {
  using ShardId = eventstore::ShardId;
  using Offset = eventstore::Offset;

 public:
  explicit UncertainLog(std::unique_ptr<eventstore::KafkaLog> log) : log_(std::move(log)) {}

  std::atomic<bool> lose_the_next_commit = false;

  eventstore::CommitOutcome commit(eventstore::Transaction& transaction,
                                   const eventstore::CommandsDone& done) override {
    if (lose_the_next_commit.exchange(false)) return eventstore::CommitOutcome::outcome_unknown;
    return log_->commit(transaction, done);
  }

  eventstore::CommitOutcome commit(eventstore::Transaction& transaction) override {
    return log_->commit(transaction);
  }
  void take_over(std::span<const ShardId> shards, eventstore::kafka::Deadline deadline) override {
    log_->take_over(shards, deadline);
  }
  const eventstore::kafka::TopicNames& topics() const override { return log_->topics(); }
  eventstore::LogInfo log_info() const override { return log_->log_info(); }
  std::uint16_t shard_count() const override { return log_->shard_count(); }
  std::unique_ptr<eventstore::Transaction> begin(std::span<const ShardId> shards) override {
    return log_->begin(shards);
  }
  Offset end(ShardId shard) const override { return log_->end(shard); }
  Offset latest_end(ShardId shard, std::chrono::milliseconds longest) const override {
    return log_->latest_end(shard, longest);
  }
  std::vector<eventstore::Record> read(ShardId shard, Offset after,
                                       const eventstore::ReadLimits& limits) const override {
    return log_->read(shard, after, limits);
  }
  std::unique_ptr<eventstore::Subscription> subscribe(eventstore::EndCallback callback) override {
    return log_->subscribe(std::move(callback));
  }
  std::unique_ptr<eventstore::StateSnapshot> state(ShardId shard) const override {
    return log_->state(shard);
  }
  Offset state_position(ShardId shard) const override { return log_->state_position(shard); }
  void reset_state(ShardId shard) override { log_->reset_state(shard); }
  void apply_state(ShardId shard, Offset reached,
                   const std::function<void(eventstore::StateWriter&)>& fold) override {
    log_->apply_state(shard, reached, fold);
  }
  eventstore::VerifyReport verify(ShardId shard, Offset from,
                                  const eventstore::VerifyProgress& progress) const override {
    return log_->verify(shard, from, progress);
  }
  eventstore::LogHealth health() const override { return log_->health(); }
  bool try_resume() override { return log_->try_resume(); }

 private:
  std::unique_ptr<eventstore::KafkaLog> log_;
};

}  // namespace annolog::commands
