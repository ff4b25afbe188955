// What a reader may rely on when two things must have seen an event: the read models in PostgreSQL
// and those in this process's memory. The barrier stands where the slower one is. Any thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "projections/engine/read_barrier.hpp"

namespace annolog::projections {

class JointProgress {
 public:
  JointProgress(ReadBarrier& barrier, std::uint16_t shards) : barrier_(barrier), at_(shards) {}

  void in_database(eventstore::ShardId shard, eventstore::Offset reached) {
    const std::lock_guard guard(mutex_);
    at_[shard.value].database = reached;
    set(shard);
  }
  void in_memory(eventstore::ShardId shard, eventstore::Offset reached) {
    const std::lock_guard guard(mutex_);
    at_[shard.value].memory = reached;
    set(shard);
  }

 private:
  struct Both {
    eventstore::Offset database;
    eventstore::Offset memory;
    eventstore::Offset awaited;  // what the database showed when the memory fell behind it
  };
  void set(eventstore::ShardId shard) {
    Both& both = at_[shard.value];
    if (both.memory >= std::min(both.awaited, both.database)) {
      barrier_.behind_others(shard, false);
      both.awaited = both.database;
    }
    if (both.memory < both.database) barrier_.behind_others(shard, true);
    barrier_.set(shard, std::min(both.database, both.memory));
  }

  ReadBarrier& barrier_;
  std::mutex mutex_;
  std::vector<Both> at_;
};

}  // namespace annolog::projections
