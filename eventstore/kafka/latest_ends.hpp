// Where shards end now, asked of the cluster: what this process has heard may be old, after it was
// frozen or cut off. All that was acknowledged before the call counts. Any thread; one asks at a
// time. Throws LogUnavailable.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

class LatestEnds {
 public:
  LatestEnds(const Connection& connection, std::string topic)
      : connection_(connection), topic_(std::move(topic)) {}

  // The last committed record; 0: none.
  Offset of(ShardId shard, Deadline deadline);

 private:
  struct Readers {
    Readers(const Connection& connection, const std::string& topic, Deadline deadline)
        : all(connection, topic, options(Isolation::uncommitted, deadline)),
          committed(connection, topic, options(Isolation::committed, deadline)) {}
    static ReaderOptions options(Isolation isolation, Deadline deadline) {
      ReaderOptions options;
      options.isolation = isolation;
      options.look_up_time = std::chrono::milliseconds(ms_until(deadline));
      return options;
    }
    TopicReader all, committed;
  };
  struct Known {
    std::int64_t end = 0;  // of the partition, with nothing open before it
    Offset last;
  };

  const Connection connection_;
  const std::string topic_;
  std::timed_mutex mutex_;
  std::unique_ptr<Readers> readers_;  // made when first asked
  std::map<ShardId, Known> known_;
};

}  // namespace annolog::eventstore::kafka
