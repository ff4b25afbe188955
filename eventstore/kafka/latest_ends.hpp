// Where shards end now, asked of the cluster: what this process has heard may be old, after it was
// frozen or cut off. All that was acknowledged before the call counts. Any thread; one asks at a
// time. Throws LogUnavailable.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "eventstore/kafka/end_readers.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

class LatestEnds {
 public:
  LatestEnds(const Connection& connection, std::string topic)
      : connection_(connection), topic_(std::move(topic)) {}

  // The last committed record; 0: none.
  Offset of(ShardId shard, Deadline deadline);

 private:
  struct Known {
    std::int64_t end = 0;  // of the partition, with nothing open before it
    Offset last;
  };

  const Connection connection_;
  const std::string topic_;
  std::timed_mutex mutex_;
  std::optional<EndReaders> readers_;  // made when first asked
  std::map<ShardId, Known> known_;
};

}  // namespace annolog::eventstore::kafka
