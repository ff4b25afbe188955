#include "commands/kafka/kafka_runtime.hpp"

#include <algorithm>
#include <utility>

namespace annolog::commands {
namespace {

namespace kafka = eventstore::kafka;
using eventstore::ShardId;

WriterMetrics writer_metrics(platform::Metrics& metrics) {
  return {metrics.counter({"commands_decided_total", "Commands decided and answered"}),
          metrics.counter({"log_commits_total", "Groups of commands committed"}),
          metrics.counter({"log_commits_aborted_total", "Transactions that came to nothing"}),
          metrics.counter({"log_commits_fenced_total",
                           "Transactions refused as the shards belong to another node"}),
          metrics.counter({"log_commits_unknown_total", "Commits that were never answered"}),
          metrics.histogram({"log_commit_seconds", "Time of a group's transaction"}),
          metrics.histogram({"shard_take_over_seconds",
                             "From a shard's first command to its state being at the end"})};
}

}  // namespace

KafkaRuntime::KafkaRuntime(eventstore::KafkaLog& log, const platform::Clock& clock,
                           platform::Logger& logger, platform::Metrics& metrics,
                           KafkaRuntimeOptions options)
    : options_(std::move(options)),
      owned_(metrics.gauge({"shards_assigned", "Shards that are this node's to write"})),
      commands_lag_(metrics.gauge(
          {"commands_lag", "Commands in this node's shards that are not decided yet"})),
      state_lag_(metrics.gauge(
          {"state_lag_records", "Records that this node's state has not folded yet"})),
      rebalances_(metrics.counter({"group_rebalances_total",
                                   "Moves of shards to or from this "
                                   "node"})),
      table_(log.shard_count()),
      group_({.connection = options_.connection,
              .group = options_.topic_prefix + ".commands",
              .topic = log.topics().commands,
              .session_timeout = options_.session_timeout},
             {.assigned = [this](auto shards) { assigned(shards); },
              .revoked = [this](auto shards, bool lost) { revoked(shards, lost); },
              .message = [this](kafka::KafkaMessage message) { received(std::move(message)); },
              .full = [this] { return full(); },
              .disabled = options_.disabled}),
      context_{log,
               group_,
               table_,
               clock,
               logger,
               HandlerOptions{options_.lock_ms},
               writer_metrics(metrics),
               options_.node,
               {},
               {},
               {}},
      follower_(log, table_, logger) {
  const std::size_t count =
      std::clamp<std::size_t>(options_.writers, 1, std::max<std::size_t>(1, log.shard_count()));
  for (std::size_t i = 0; i < count; ++i)
    writers_.push_back(std::make_unique<KafkaWriter>(context_));
}

KafkaRuntime::~KafkaRuntime() { stop(); }

void KafkaRuntime::observe(std::function<void(std::span<CommittedEvent>)> observer) {
  context_.observe = std::move(observer);
}

void KafkaRuntime::answer_with(OwnCallers callers) { context_.own_callers = std::move(callers); }

bool KafkaRuntime::take_here(ReceivedCommand& command) {
  const ShardId shard = shard_of(command.envelope.command, context_.log.shard_count());
  const ShardSlot& slot = table_[shard];
  const Holding holding = slot.holding;
  KafkaWriter& writer = writer_of(shard);
  if (holding.tenure != Tenure::owned || slot.leaving ||
      writer.waiting().own >= options_.queue_limit)
    return false;
  WaitingCommand waiting{shard, holding.number, 0, nullptr, std::move(command)};
  if (writer.push(waiting)) return true;
  command = std::move(*waiting.own);
  return false;
}

void KafkaRuntime::on_ownership(std::function<void(ShardId, bool owned)> callback) {
  on_ownership_ = std::move(callback);
  context_.taken_over = [this](ShardId shard) { on_ownership_(shard, true); };
}

void KafkaRuntime::start() {
  follower_.start();
  for (const auto& writer : writers_) writer->start();
  group_.start();
}

void KafkaRuntime::stop() {
  // Leaving the group ends the groups in hand first.
  group_.stop();
  for (const auto& writer : writers_) writer->stop();
  follower_.stop();
}

void KafkaRuntime::publish_lag() const {
  std::size_t taken = 0;
  for (const auto& writer : writers_) {
    const CommandQueue::Waiting waiting = writer->waiting();
    taken += waiting.own + waiting.of_topic;
  }
  commands_lag_.set(static_cast<double>(taken) + static_cast<double>(group_.waiting()));
  double behind = 0;
  for (std::uint16_t i = 0; i < context_.log.shard_count(); ++i) {
    const ShardId shard(i);
    const auto end = context_.log.end(shard).value;
    const auto at = context_.log.state_position(shard).value;
    if (end > at) behind += static_cast<double>(end - at);
  }
  state_lag_.set(behind);
}

KafkaWriter& KafkaRuntime::writer_of(ShardId shard) {
  return *writers_[shard.value % writers_.size()];
}

void KafkaRuntime::assigned(std::span<const ShardId> shards) {
  rebalances_.add();
  owned_.add(static_cast<double>(shards.size()));
  for (const ShardId shard : shards) {
    ShardSlot& slot = table_[shard];
    slot.leaving = false;
    slot.holding = {slot.holding.load().number + 1, Tenure::assigned};
  }
  follower_.settle(shards);
  if (on_ownership_)
    for (const ShardId shard : shards) on_ownership_(shard, true);
  context_.logger.info("shards assigned", {{"count", shards.size()}});
}

void KafkaRuntime::revoked(std::span<const ShardId> shards, bool lost) {
  rebalances_.add();
  owned_.add(-static_cast<double>(shards.size()));
  for (const ShardId shard : shards) table_[shard].leaving = true;
  for (const ShardId shard : shards) {
    // What was given to others already can't be committed any more; and when this process has left
    // as it doesn't hear a broker, what is in hand may take long. Who takes over ends it.
    if (!lost && !group_.is_away()) writer_of(shard).forget(shard, true);
    table_[shard].holding = {table_[shard].holding.load().number, Tenure::followed};
    writer_of(shard).forget(shard, false);
    if (on_ownership_) on_ownership_(shard, false);
  }
  context_.logger.info("shards given away", {{"count", shards.size()}, {"lost", lost}});
}

void KafkaRuntime::received(kafka::KafkaMessage message) {
  const ShardId shard(static_cast<std::uint16_t>(message->partition));
  const std::int64_t offset = message->offset;
  WaitingCommand waiting{
      shard, table_[shard].holding.load().number, offset, std::move(message), {}};
  writer_of(shard).push(waiting);
}

bool KafkaRuntime::full() const {
  std::size_t waiting = 0;
  for (const auto& writer : writers_) waiting += writer->waiting().of_topic;
  return waiting >= options_.queue_limit;
}

}  // namespace annolog::commands
