// The id of a row that one event made: the event's place in the log as one number, so that the row
// has the same id after a rebuild. Plain values.
#pragma once

#include <cstdint>

#include "eventstore/record.hpp"

namespace annolog::projections {

// docs/log-format.md. SQL takes the shard of an id by `id & 4095`.
inline constexpr std::int64_t kShardsAtMost = 4096;

// Of the last event that has an id.
inline constexpr std::uint64_t kLargestOffset = (std::uint64_t{1} << 51U) - 1;

constexpr std::int64_t event_id(eventstore::Position at) {
  return static_cast<std::int64_t>(at.offset.value) * kShardsAtMost + at.shard.value;
}

constexpr eventstore::Position event_position(std::int64_t id) {
  return {eventstore::ShardId(static_cast<std::uint16_t>(id % kShardsAtMost)),
          eventstore::Offset(static_cast<std::uint64_t>(id / kShardsAtMost))};
}

}  // namespace annolog::projections
