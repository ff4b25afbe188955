// The process "a lock that is over is cleared away", for the shards that this process owns. It
// looks at each of them every 15 seconds, at the index of the locks' ends, which costs a seek when
// none is over; else it sends ExpireLocks until none is. Nobody waits for it: a lock is over at its
// instant of expiry, this tells of it and keeps the indexes short. One thread, which mostly rests.
// own() and disown() from any.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "commands/process_managers/shard_turns.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

class LockCleaner {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{15'000};

  LockCleaner(CommandBus& bus, const eventstore::EventLog& log, const platform::Clock& clock,
              platform::Logger& logger, std::chrono::milliseconds look_every = kLookEvery);
  ~LockCleaner();
  LockCleaner(const LockCleaner&) = delete;
  LockCleaner& operator=(const LockCleaner&) = delete;

  void start();
  // No further step begins; the one under way is waited for by stop(), so the bus must answer it.
  void finish();
  void stop();

  // The shard is this process's. May be told again.
  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);

 private:
  void run();
  // One step; whether there is more to clear.
  bool clean(eventstore::ShardId shard);
  bool any_is_over(eventstore::ShardId shard);

  CommandBus& bus_;
  const eventstore::EventLog& log_;
  const platform::Clock& clock_;
  platform::Logger& logger_;
  const std::chrono::milliseconds rest_;  // behind each shard's turn

  // By shard, the first lock's end that the last look met: what ended before is gone, and no later
  // lock ends earlier. The traces that they leave in the index are not passed again.
  std::mutex mutex_;
  std::map<eventstore::ShardId, std::string> looked_from_;

  ShardTurns<eventstore::ShardId> turns_;
  std::thread thread_;
};

}  // namespace annolog::commands
