// "A lock that is over is cleared away", every 15 seconds. A lock is over at its instant of expiry;
// this tells of it and keeps the indexes short.
#pragma once

#include "commands/process_managers/shard_sweeper.hpp"

namespace annolog::commands {

class LockCleaner : public ShardSweeper {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{15'000};

  LockCleaner(CommandBus& bus, const eventstore::EventLog& log, const platform::Clock& clock,
              platform::Logger& logger, std::chrono::milliseconds look_every = kLookEvery)
      : ShardSweeper({bus, log, clock, logger},
                     {Table::lock_end, &first_live_lock,
                      [](eventstore::ShardId shard) { return ExpireLocks{shard.value}; },
                      "locks that are over could not be cleared away; it is tried again"},
                     look_every) {}
};

}  // namespace annolog::commands
