// One record as one line for `annolog log tail`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "eventstore/record.hpp"

namespace annolog::app {

// For a person: time, shard-offset, type, subject, actor, request id; "-" for what is absent.
std::string text_line(const eventstore::Record& record);
// For programs: a CloudEvent in JSON format, with the attributes that it has in Kafka. Its
// partitionkey is "shard/N", its sequence the offset. Personal fields stay sealed.
std::string json_line(const eventstore::Record& record, std::string_view log_id);

}  // namespace annolog::app
