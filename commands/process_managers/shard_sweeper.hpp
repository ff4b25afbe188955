// The process "what is over is cleared away", for the shards that this process owns. It looks at
// each of them now and then, at an index in the order of the ends, which costs a seek when nothing
// is over; else it sends a step until nothing is. Nobody waits for it. One thread, which mostly
// rests. own() and disown() from any.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "commands/process_managers/shard_turns.hpp"
#include "commands/state/key.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

// What is swept.
struct Sweep {
  Table ends;                                        // the index: first the time of the end
  std::function<Key(Timestamp)> first_kept;          // what lies before it is over
  std::function<Command(eventstore::ShardId)> step;  // answers Remains
  const char* warning;                               // when a step comes to nothing
};

class ShardSweeper {
 public:
  struct Parts {
    CommandBus& bus;
    const eventstore::EventLog& log;
    const platform::Clock& clock;
    platform::Logger& logger;
  };

  ShardSweeper(const Parts& parts, Sweep sweep, std::chrono::milliseconds look_every);
  ~ShardSweeper();
  ShardSweeper(const ShardSweeper&) = delete;
  ShardSweeper& operator=(const ShardSweeper&) = delete;

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

  const Parts parts_;
  const Sweep sweep_;
  const std::chrono::milliseconds rest_;  // behind each shard's turn

  // By shard, where the last look came to what is over, or else to what is not yet: what ended
  // before is gone, and what comes ends later than now. The traces that they leave in the index are
  // not passed again.
  std::mutex mutex_;
  std::map<eventstore::ShardId, std::string> looked_from_;

  ShardTurns<eventstore::ShardId> turns_;
  std::thread thread_;
};

}  // namespace annolog::commands
