// Keeps the state of the shards that other processes write at the end of their records, so that
// taking one over takes little more than the group's word. One thread of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "commands/kafka/shard_table.hpp"
#include "eventstore/event_log.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

class ShardFollower {
 public:
  ShardFollower(eventstore::EventLog& log, ShardTable& table, platform::Logger& logger)
      : log_(log), table_(table), logger_(logger) {}
  ~ShardFollower() { stop(); }
  ShardFollower(const ShardFollower&) = delete;
  ShardFollower& operator=(const ShardFollower&) = delete;

  // Folds all shards up to their ends before it returns. Throws what fold_to_end() throws.
  void start();
  void stop();

 private:
  void run();
  void fold(eventstore::ShardId shard);

  eventstore::EventLog& log_;
  ShardTable& table_;
  platform::Logger& logger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> news_;
  bool stopping_ = false;
  std::unique_ptr<eventstore::Subscription> subscription_;
  std::thread thread_;
};

}  // namespace annolog::commands
