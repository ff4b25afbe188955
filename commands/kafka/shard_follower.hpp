// Keeps the state of the shards that other processes write at the end of their records, so that
// taking one over takes little more than the group's word. And ends what a writer that died has
// left open in shards that come to this process: until then the group does not even say where to
// begin. One thread of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "commands/kafka/shard_table.hpp"
#include "eventstore/kafka/kafka_log.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

class ShardFollower {
 public:
  ShardFollower(eventstore::KafkaLog& log, ShardTable& table, platform::Logger& logger)
      : log_(log), table_(table), logger_(logger) {}
  ~ShardFollower() { stop(); }
  ShardFollower(const ShardFollower&) = delete;
  ShardFollower& operator=(const ShardFollower&) = delete;

  // Folds all shards up to their ends before it returns. Throws what fold_to_end() throws.
  void start();
  void stop();
  // Returns at once; tried once, as whoever writes the shards makes sure of it anyway.
  void settle(std::span<const eventstore::ShardId> shards);

 private:
  void run();
  void fold(eventstore::ShardId shard);
  void settle_now(const std::vector<eventstore::ShardId>& shards);

  eventstore::KafkaLog& log_;
  ShardTable& table_;
  platform::Logger& logger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> news_;
  std::vector<eventstore::ShardId> unsettled_;
  bool stopping_ = false;
  std::unique_ptr<eventstore::Subscription> subscription_;
  std::thread thread_;
};

}  // namespace annolog::commands
