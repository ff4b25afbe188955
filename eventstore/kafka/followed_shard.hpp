// What this process knows of one shard's records: where they end and their last chain. Fed by the
// tail and, sooner, by this process's own commits; what comes twice counts once. Any thread.
#pragma once

#include <cstdint>
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
  void begin_at(Offset end, const Hash& chain, std::int64_t reached);

  Offset end() const;
  Hash chain() const;
  std::int64_t reached() const;  // Kafka offset up to which the tail has followed

  // From the tail. Gives whether the end has moved. Throws LogCorrupted for a record that does not
  // follow. While this process commits to the shard, what comes waits.
  bool follow(std::vector<Record> records, std::int64_t reached);

  // Around a commit of this process. `committed` empty: it came to nothing, or nobody knows.
  void hold();
  bool release(const std::vector<Record>& committed);

 private:
  bool accept(const std::vector<Record>& records);

  const ShardId shard_;
  RecentRecords& recent_;
  mutable std::mutex mutex_;
  ChainHasher hasher_;
  Offset end_;
  Hash chain_{};
  std::int64_t reached_ = 0;
  bool held_ = false;
  std::vector<Record> waiting_;
  std::int64_t waiting_reached_ = 0;
};

}  // namespace annolog::eventstore::kafka
