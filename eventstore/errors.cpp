#include "eventstore/errors.hpp"

#include <fmt/format.h>

namespace annolog::eventstore {

LogCorrupted::LogCorrupted(ShardId shard, Offset offset, const std::string& reason)
    : std::runtime_error(fmt::format("the log is damaged at shard {} offset {}: {}", shard.value,
                                     offset.value, reason)),
      position_(Position{shard, offset}) {}

LogCorrupted::LogCorrupted(const std::string& reason)
    : std::runtime_error(fmt::format("the log is damaged: {}", reason)) {}

}  // namespace annolog::eventstore
