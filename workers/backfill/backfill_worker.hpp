// Goes on with the backfills of datasets (domain/dataset/backfill.hpp) in the shards that this
// process owns: what is asked for and how far it came is the dataset's state, so a crash repeats
// one step at most. Jobs take turns, a step each. One thread that gives way to others. own(),
// disown() and on_event() from any.
#pragma once

#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "commands/process_managers/shard_turns.hpp"
#include "commands/running_backfills.hpp"
#include "domain/dataset/backfill.hpp"
#include "domain/events.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/objects/object_store.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::workers {

class BackfillWorker {
 public:
  struct Parts {
    commands::CommandBus& bus;
    const eventstore::EventLog& log;
    projections::ReadPool& reads;
    projections::ReadBarrier& barrier;
    platform::ObjectStore& objects;
    const platform::Clock& clock;
    platform::Logger& logger;
  };

  explicit BackfillWorker(const Parts& parts);
  ~BackfillWorker();
  BackfillWorker(const BackfillWorker&) = delete;
  BackfillWorker& operator=(const BackfillWorker&) = delete;

  void start();
  // No further item is read; the step under way is waited for by stop(), so the bus must answer.
  void finish();
  void stop();

  // The shard is this process's: jobs that earlier runs and owners left are gone on with.
  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);
  // Of the shards owned.
  void on_event(const Event& event);

 private:
  enum class Turn { ended, goes_on, put_off };

  void run();
  Turn advance(DatasetId dataset);
  Turn step(const BackfillState& job);
  Turn put_off(const char* why, const std::string& reason);

  const Parts parts_;
  commands::ShardTurns<DatasetId> turns_;
  std::thread thread_;
};

}  // namespace annolog::workers
