// The AsyncAPI 3.0 document of the event log and the WebSockets: what a program needs that reads
// the events from Kafka, or frames from a socket. Made from the event catalogue, so that it
// can't say anything else than what is written. Sources: AsyncAPI 3.0.0 with Kafka bindings 0.5.0;
// CloudEvents Kafka protocol binding 1.0.2.
#pragma once

#include <cstdint>
#include <string>

namespace annolog::api {

// The topics of a log that is kept in Kafka.
struct LogTopics {
  std::string events;
  std::string commands;
  std::string replies;
  std::string realtime;
  std::string subject_keys;
  std::int64_t max_message_bytes = 0;
};

// Deterministic: members sorted. `version` is the program's.
std::string asyncapi_document(const std::string& version, const LogTopics& topics);

}  // namespace annolog::api
