// Learns how far the read models have come from PostgreSQL itself, whichever process applies the
// events: for nodes whose reads must wait for other nodes' projectors. A thread of its own; the
// callbacks run on it. Nothing throws after start(): a broken connection shows in healthy() and is
// made again.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/record.hpp"
#include "platform/log.hpp"
#include "projections/engine/wakeup.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {

struct CheckpointWatchOptions {
  std::string database_url;
  std::uint16_t shard_count = 0;
  std::int64_t connect_ms = 5'000;
  std::int64_t retry_ms = 500;
};

class CheckpointWatch {
 public:
  struct Handlers {
    // May go back: PostgreSQL may have lost its last commits in a crash.
    std::function<void(eventstore::ShardId, eventstore::Offset, bool settled)> reached;
    std::function<void()> lost;      // nothing is known until `regained`
    std::function<void()> regained;  // after a `reached` for every shard
  };

  CheckpointWatch(CheckpointWatchOptions options, platform::Logger& logger, Handlers handlers);
  ~CheckpointWatch() { stop(); }
  CheckpointWatch(const CheckpointWatch&) = delete;
  CheckpointWatch& operator=(const CheckpointWatch&) = delete;

  void start();
  void stop();
  bool healthy() const { return healthy_; }
  std::string detail() const;

 private:
  void run();
  void session();
  void look(PgConnection& connection);
  void back_off(const std::string& why);

  const CheckpointWatchOptions options_;
  platform::Logger& logger_;
  const Handlers handlers_;
  Wakeup wakeup_;  // stop
  std::int64_t generation_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> healthy_{false};
  mutable std::mutex mutex_;
  std::string detail_ = "not started";
  std::thread thread_;
};

}  // namespace annolog::projections
