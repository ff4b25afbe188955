// The line that an operator looks for when a record was parked; those that follow a parked one are
// many, and are told to whoever debugs.
#pragma once

#include "platform/log.hpp"
#include "projections/engine/log_reader.hpp"

namespace annolog::projections {

inline void log_parked(platform::Logger& logger, const ReadRecord& read) {
  const bool follows = read.park_reason == kFollowsParked;
  logger.log(follows ? platform::LogLevel::debug : platform::LogLevel::error,
             "parked a record that can't be applied",
             {{"shard", read.record.position.shard.value},
              {"offset", read.record.position.offset.value},
              {"type", read.record.headers.type},
              {"subject", read.record.headers.subject},
              {"error", read.park_reason}});
}

}  // namespace annolog::projections
