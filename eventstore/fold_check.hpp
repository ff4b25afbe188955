// What every adapter asks before it applies a refold. Pure; any thread.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// A fold moves forward, and never past the end.
inline void require_fold(ShardId shard, Offset position, Offset reached, Offset end) {
  if (reached < position || reached > end)
    throw std::logic_error(
        fmt::format("shard {}: state at {} can't be folded to {}, the log ends at {}", shard.value,
                    position.value, reached.value, end.value));
}

// State that lags would miss records for ever once a commit moved it to the new end.
inline void require_folded(ShardId shard, Offset position, Offset end) {
  if (position != end)
    throw std::logic_error(
        fmt::format("shard {}: state is at {}, the log ends at {}: fold it first", shard.value,
                    position.value, end.value));
}

}  // namespace annolog::eventstore
