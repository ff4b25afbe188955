// What the writers of a process share: the log, the group, where outcomes go.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "commands/group.hpp"
#include "commands/kafka/envelope_message.hpp"
#include "commands/kafka/shard_table.hpp"
#include "eventstore/kafka/group_member.hpp"
#include "eventstore/kafka/kafka_log.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"

namespace annolog::commands {

struct WriterMetrics {
  platform::Counter commands, commits, aborted, fenced, unknown;
  platform::Histogram commit_seconds, take_over_seconds;
};

// Where the outcomes of commands go that this node's own bus waits for.
struct OwnCallers {
  std::function<void(const std::string& command_id, Outcome outcome)> decided;
  // Of a command that its writer was given directly and can't decide any more: to the topic.
  std::function<void(const ReceivedCommand& command)> send_on;
  // The same, when nobody knows whether it was done.
  std::function<void(const std::string& command_id)> unknown;
};

struct WriterContext {
  eventstore::KafkaLog& log;
  eventstore::kafka::GroupMember& group;
  ShardTable& table;
  const platform::Clock& clock;
  platform::Logger& logger;
  HandlerOptions handler_options;
  WriterMetrics metrics;
  std::string node;
  OwnCallers own_callers;
  // After each commit, before the outcomes are told.
  std::function<void(std::span<CommittedEvent>)> observe;
  // A shard was taken over; on the writer's thread.
  std::function<void(eventstore::ShardId)> taken_over;
};

}  // namespace annolog::commands
