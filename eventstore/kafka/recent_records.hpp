// The newest records of all shards, bounded by bytes: readers that keep up never ask the cluster.
// Any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore::kafka {

class RecentRecords {
 public:
  RecentRecords(std::uint16_t shard_count, std::size_t bytes_max)
      : shards_(shard_count), bytes_max_(bytes_max) {}

  // In the order of each shard; what does not follow its last one replaces all of the shard's.
  void put(const std::vector<Record>& records);
  // The records after `after`, within the limits; nullopt: the first of them is not here.
  std::optional<std::vector<Record>> read(ShardId shard, Offset after,
                                          const ReadLimits& limits) const;

 private:
  using Kept = std::deque<std::shared_ptr<const Record>>;
  void drop_oldest();

  mutable std::mutex mutex_;
  std::vector<Kept> shards_;
  std::deque<ShardId> arrivals_;  // one for each record kept, oldest first
  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;
};

}  // namespace annolog::eventstore::kafka
