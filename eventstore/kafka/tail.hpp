// Follows the committed records of all shards. A thread of its own hands over what comes, in the
// order of each shard; it ends with the tail.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

class Tail {
 public:
  using OnRecords = std::function<void(ShardId shard, std::vector<Record> records)>;
  // A message that is not a record: whoever writes there is not annolog.
  using OnForeign = std::function<void(ShardId shard, std::int64_t kafka_offset)>;

  // `from`: the Kafka offset where it begins, by shard. Throws LogUnavailable.
  Tail(const Connection& connection, const std::string& topic,
       const std::vector<std::int64_t>& from, OnRecords on_records, OnForeign on_foreign);
  ~Tail();
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

 private:
  void run();
  void hand_over(const std::vector<KafkaMessage>& messages);

  const std::function<void(std::string_view line)> warn_;
  TopicReader reader_;
  const OnRecords on_records_;
  const OnForeign on_foreign_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
