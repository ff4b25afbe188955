// The topics of a log: made when they are missing, and checked at every start, since a topic that
// forgets or that has another number of partitions would lose or reorder events silently.
// Source: docs/kafka.md, "Topics".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

struct TopicNames {
  explicit TopicNames(const std::string& prefix);
  std::string log;           // which log this is: one record, never changed
  std::string events;        // the truth: kept for ever
  std::string commands;      // wishes on their way to a shard's owner
  std::string replies;       // outcomes on their way back
  std::string realtime;      // frames for open screens
  std::string subject_keys;  // the newest key of each person
};

// How a topic's setting must compare with the wanted value.
enum class Rule { equal, at_least };
struct TopicConfig {
  std::string name;
  std::string value;
  Rule rule = Rule::equal;
};
struct TopicPlan {
  std::string name;
  std::int32_t partitions = 1;
  std::vector<TopicConfig> configs;
};

// `replication` 0: three, or as many as there are brokers. Writes are acknowledged by a majority.
struct TopicOptions {
  std::uint16_t shards = 64;
  std::int32_t replication = 0;
  // How long topics that can't be made for want of brokers are tried again.
  std::chrono::milliseconds brokers_time{10'000};
};

std::vector<TopicPlan> topic_plans(const TopicNames& names, std::uint16_t shards);

// Throws LogRefused naming topic, setting, what it is and what it must be; LogUnavailable when the
// cluster does not answer until `deadline`.
void ensure_topics(const Client& client, const TopicNames& names, const TopicOptions& options,
                   Deadline deadline);

bool has_topic(const Client& client, const std::string& name, Deadline deadline);
// For reading only: throws LogRefused when there is no log of these names.
void require_topics(const Client& client, const TopicNames& names, Deadline deadline);

}  // namespace annolog::eventstore::kafka
