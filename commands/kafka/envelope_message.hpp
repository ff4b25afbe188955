// Commands and replies as Kafka messages: CloudEvents in binary mode, JSON values. Pure; any
// thread. Source: docs/kafka.md, "Commands and replies".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/bus.hpp"
#include "eventstore/kafka/transactional_producer.hpp"
#include "platform/clock.hpp"

namespace annolog::commands {

// Who waits for the outcome, and where it looks for it.
struct ReturnAddress {
  std::string node;
  std::int32_t partition = 0;  // of the replies
  std::string command_id;
};

struct ReceivedCommand {
  Envelope envelope;  // without `done`; its deadline is in this process's monotonic time
  ReturnAddress from;
};

struct ReceivedReply {
  std::string node;
  std::string command_id;
  std::string outcome;  // JSON
};

// Deadlines travel as wall time: nodes' clocks must agree within a second or so.
eventstore::kafka::Message to_message(const Envelope& envelope, const ReturnAddress& from,
                                      const std::string& topic, std::uint16_t shards,
                                      const platform::Clock& clock);
// Throws codec::CodecError when another version of the program wrote it.
ReceivedCommand to_command(const rd_kafka_message_t& message, const platform::Clock& clock);
// What there is of it, even when the command itself can't be read.
ReturnAddress return_address(const rd_kafka_message_t& message);

eventstore::kafka::Message to_message(const Outcome& outcome, const ReturnAddress& to,
                                      const std::string& topic, const platform::Clock& clock);
ReceivedReply to_reply(const rd_kafka_message_t& message);

}  // namespace annolog::commands
