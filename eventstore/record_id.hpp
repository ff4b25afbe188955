// What annolog calls its records: after their place. Pure; any thread.
#pragma once

#include <fmt/format.h>

#include <string>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// "7-42": the 42nd of shard 7.
inline std::string record_id(Position position) {
  return fmt::format("{}-{}", position.shard.value, position.offset.value);
}

}  // namespace annolog::eventstore
