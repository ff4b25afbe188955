// Follows the log for read models that live in this process's memory: calls back with the events of
// the chosen types, in the order of each shard, whichever node committed them. One thread of its
// own. Nothing throws after start(): what can't be decoded is logged and passed over.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/log.hpp"
#include "projections/engine/control.hpp"

namespace annolog::projections {

class MemoryProjector {
 public:
  using OnEvent = std::function<void(eventstore::Position at, const Event& event)>;
  using OnReached = std::function<void(eventstore::ShardId shard, eventstore::Offset reached)>;

  // Only events of `types` are decoded and handed over. `reached` is called when all that lies up
  // to there has been.
  MemoryProjector(eventstore::EventLog& log, platform::Logger& logger,
                  std::unordered_set<std::string> types, OnEvent on_event, OnReached reached);
  ~MemoryProjector() { stop(); }
  MemoryProjector(const MemoryProjector&) = delete;
  MemoryProjector& operator=(const MemoryProjector&) = delete;

  // From behind these positions on.
  void start(Positions from);
  void stop();

 private:
  void run();
  void follow(eventstore::ShardId shard);

  eventstore::EventLog& log_;
  platform::Logger& logger_;
  const std::unordered_set<std::string> types_;
  const OnEvent on_event_;
  const OnReached on_reached_;
  Positions positions_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> news_;
  bool stopping_ = false;
  std::unique_ptr<eventstore::Subscription> subscription_;
  std::thread thread_;
};

}  // namespace annolog::projections
