// Follows the committed records of all shards, from the last one there is when it is made. A thread
// of its own hands over what comes, in the order of each shard. Throws LogUnavailable.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

class Tail {
 public:
  // `reached`: the Kafka offset up to which the shard has been followed. On the tail's thread; may
  // be called without records.
  using OnRecords =
      std::function<void(ShardId shard, std::vector<Record> records, std::int64_t reached)>;
  // A message that is not a record: whoever writes there is not annolog.
  using OnForeign = std::function<void(ShardId shard, std::int64_t kafka_offset)>;

  Tail(const Connection& connection, std::string topic, std::uint16_t shard_count);
  ~Tail();
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  struct LastRecord {
    std::optional<Record> record;  // none: the shard is empty
    std::int64_t reached = 0;
  };
  // The last record of each shard, as of now. Before start().
  std::vector<LastRecord> find_ends(Deadline deadline);
  // Follows from there. The thread ends with the tail.
  void start(OnRecords on_records, OnForeign on_foreign);

 private:
  void run();
  void hand_over(const std::vector<KafkaMessage>& messages);

  const Connection connection_;
  const std::string topic_;
  std::vector<std::int64_t> from_;  // where the following begins, by shard
  OnRecords on_records_;
  OnForeign on_foreign_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
