// A record as a Kafka message and back: CloudEvents 1.0 in binary mode, one header an attribute,
// the JSON data as the value. The encoding that the hash chain covers (record_codec.hpp) follows
// from the message alone, so that the chain is the same in every log. Pure; any thread. Source:
// docs/kafka.md, "Records"; CloudEvents Kafka protocol binding 1.0.2.
#pragma once

#include <librdkafka/rdkafka.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eventstore/kafka/transactional_producer.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

// Which log it is, and who writes.
struct RecordOrigin {
  std::string source;  // ce_source, "/annolog/<log id>"
  std::string writer;  // the transactional id; empty: not said
};

Message to_message(const Record& record, const std::string& topic, const RecordOrigin& origin);
// Records of one transaction. The first of each shard says who writes, so that an open transaction
// tells whose it is.
void add_messages(std::span<const Record> records, const std::string& topic,
                  const RecordOrigin& origin, std::vector<Message>& to);

// Puts the parts of a message that make a record into an empty one, where it is to stay; false: it
// is none that to_message could have made, and what was put there means nothing.
bool read_record(const rd_kafka_message_t& message, Record& into);
std::optional<Record> to_record(const rd_kafka_message_t& message);
// The transactional id of its writer; empty when there is none.
std::string writer_of(const rd_kafka_message_t& message);

// 2026-11-21T08:00:00.123Z; years outside 0 .. 9999 can't be written so and throw
// std::invalid_argument.
std::string to_rfc3339(std::int64_t ms);
std::optional<std::int64_t> from_rfc3339(std::string_view text);

}  // namespace annolog::eventstore::kafka
