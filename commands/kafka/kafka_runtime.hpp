// The shard runtime of many nodes: a member of the group `<prefix>.commands` whose writers decide
// the commands of the shards that Kafka gives it, consume, decide, produce in one transaction. The
// states of all other shards are kept warm. start(), stop() and the observers belong to one thread.
// Source: architecture, "The write path"; docs/kafka.md, "Who writes".
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commands/kafka/kafka_writer.hpp"
#include "commands/kafka/shard_follower.hpp"
#include "commands/kafka/writer_context.hpp"
#include "platform/metrics.hpp"

namespace annolog::commands {

struct KafkaRuntimeOptions {
  eventstore::kafka::Connection connection;
  std::string topic_prefix = "annolog";
  std::string node;
  std::size_t writers = 2;
  // Commands taken from the topic and not decided yet; as many again of own callers at each writer.
  std::size_t queue_limit = 4096;
  std::chrono::milliseconds session_timeout{6'000};
  std::int64_t lock_ms = kDefaultLockMs;
  // This process can't do a writer's work: others shall, as long as there are any. Any thread.
  std::function<bool()> disabled = {};
};

class KafkaRuntime {
 public:
  KafkaRuntime(eventstore::KafkaLog& log, const platform::Clock& clock, platform::Logger& logger,
               platform::Metrics& metrics, KafkaRuntimeOptions options);
  ~KafkaRuntime();
  KafkaRuntime(const KafkaRuntime&) = delete;
  KafkaRuntime& operator=(const KafkaRuntime&) = delete;

  // Set before start(); see WriterContext.
  void observe(std::function<void(std::span<CommittedEvent>)> observer);
  void answer_with(OwnCallers callers);
  // A shard has become this process's, or is it no longer. Told twice of those that come: when the
  // group gives them, and once their state is at the end.
  void on_ownership(std::function<void(eventstore::ShardId, bool owned)> callback);

  // Takes the command when this process writes its shard and has room: it needn't go through the
  // topic. Any thread, between start() and stop().
  bool take_here(ReceivedCommand& command);

  // Sets the gauges that are read on demand. Any thread.
  void publish_lag() const;

  // Folds all shards up to their ends, then joins the group. Throws what fold_to_end() throws.
  void start();
  // Ends the groups in hand and leaves: other nodes take over at once.
  void stop();

 private:
  KafkaWriter& writer_of(eventstore::ShardId shard);
  void assigned(std::span<const eventstore::ShardId> shards);
  void revoked(std::span<const eventstore::ShardId> shards, bool lost);
  void received(eventstore::kafka::KafkaMessage message);
  bool full() const;

  const KafkaRuntimeOptions options_;
  platform::Gauge owned_, commands_lag_, state_lag_;
  platform::Counter rebalances_;
  ShardTable table_;
  eventstore::kafka::GroupMember group_;
  WriterContext context_;
  ShardFollower follower_;
  std::vector<std::unique_ptr<KafkaWriter>> writers_;
  std::function<void(eventstore::ShardId, bool owned)> on_ownership_;
};

}  // namespace annolog::commands
