// Work on all shards of a log, as many at a time as there are cores: shards share nothing, and
// whoever reads a whole log waits for the processor.
#pragma once

#include <cstdint>
#include <functional>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// Calls `work` once for each shard, from several threads, in no order, and returns when all have
// ended. Throws the first exception of a call; shards not begun by then are left out.
void for_each_shard(std::uint16_t shard_count, const std::function<void(ShardId)>& work);

}  // namespace annolog::eventstore
