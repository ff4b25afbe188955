// What this process knows of one shard's records: where they end and their last chain. Fed by the
// tail and, sooner, by this process's own commits; what comes twice counts once. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "eventstore/chain.hpp"
#include "eventstore/event_log.hpp"
#include "eventstore/kafka/recent_records.hpp"

namespace annolog::eventstore::kafka {

class FollowedShard {
 public:
  FollowedShard(ShardId shard, RecentRecords& recent) : shard_(shard), recent_(recent) {}

  // As found when the log was opened.
  void begin_at(Offset end, const Hash& chain);

  Offset end() const;
  Hash chain() const;

  // From the tail. Gives whether the end has moved. Throws LogCorrupted for a record that does not
  // follow. While this process commits to the shard, what comes waits.
  bool follow(std::vector<Record> records);

  // Around a commit of this process. `committed` empty: it came to nothing, or nobody knows.
  void hold();
  bool release(const std::vector<Record>& committed);

  // False when the deadline has passed first.
  bool wait_until(Offset end, std::chrono::steady_clock::time_point deadline) const;

 private:
  bool accept(const std::vector<Record>& records);

  const ShardId shard_;
  RecentRecords& recent_;
  mutable std::mutex mutex_;
  ChainHasher hasher_;
  Offset end_;
  Hash chain_{};
  mutable std::condition_variable moved_;
  bool held_ = false;
  std::vector<Record> waiting_;
};

}  // namespace annolog::eventstore::kafka
