// The id of a row that is made of one event: from the event's place in the log, so that a rebuild
// gives it again.
#pragma once

#include <cstdint>

#include "eventstore/record.hpp"

namespace annolog::projections {

// Shards are 4096 at most (docs/log-format.md), so that places in all of them are numbers apart;
// below 2^53 for as many events as a shard will have.
inline constexpr std::int64_t kShardsAtMost = 4096;

inline std::int64_t row_id(eventstore::Position at) {
  return static_cast<std::int64_t>(at.offset.value) * kShardsAtMost + at.shard.value;
}

inline eventstore::Position position_of(std::int64_t row_id) {
  return {eventstore::ShardId(static_cast<std::uint16_t>(row_id % kShardsAtMost)),
          eventstore::Offset(static_cast<std::uint64_t>(row_id / kShardsAtMost))};
}

}  // namespace annolog::projections
