// "A job that has long been over is purged", looked at every ten minutes: nobody is shown it any
// more (specification, "Limits").
#pragma once

#include "commands/process_managers/shard_sweeper.hpp"

namespace annolog::commands {

class JobCleaner : public ShardSweeper {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{600'000};

  JobCleaner(CommandBus& bus, const eventstore::EventLog& log, const platform::Clock& clock,
             platform::Logger& logger, std::chrono::milliseconds look_every = kLookEvery)
      : ShardSweeper({bus, log, clock, logger},
                     {Table::job_end, &first_kept_job,
                      [](eventstore::ShardId shard) { return PurgeJobs{shard.value}; },
                      "jobs that are long over could not be purged; it is tried again"},
                     look_every) {}
};

}  // namespace annolog::commands
