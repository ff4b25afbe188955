// The last committed record of each shard. One call, any thread (whose the reader is). Throws
// LogUnavailable.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

struct LastRecord {
  ShardId shard;
  std::optional<Record> record;  // none: the shard is empty
  std::int64_t next = 0;         // Kafka offset from which newer ones come
};
std::vector<LastRecord> last_records(const Connection& connection, const std::string& topic,
                                     std::span<const ShardId> shards, Deadline deadline);
// By a reader of committed messages, which reads no partition before and afterwards, however it
// ends.
std::vector<LastRecord> last_records(TopicReader& reader, std::span<const ShardId> shards,
                                     Deadline deadline);

}  // namespace annolog::eventstore::kafka
