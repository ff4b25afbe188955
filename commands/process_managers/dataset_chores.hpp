// The processes that follow from changes of datasets, for the shards that this process owns:
//   a deleted dataset: free its name, remove its objects, remove its items a thousand at a time,
//     then note that it is empty;
//   a deleted item: remove its objects, then the item;
//   a measured item: the tasks made of it in linked projects get the size.
// What is left to do is in the dataset's state (ReadDatasetChores) and nowhere else, and every step
// may be repeated: a crash at any point is made good by whoever owns the shard next. Objects go
// before the items that lead to them, so that none is forgotten. One thread; datasets take turns.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "commands/process_managers/shard_turns.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::commands {

class DatasetChoreRunner {
 public:
  DatasetChoreRunner(CommandBus& bus, const eventstore::EventLog& log,
                     platform::ObjectStore& objects, const platform::Clock& clock,
                     platform::Logger& logger);
  ~DatasetChoreRunner();
  DatasetChoreRunner(const DatasetChoreRunner&) = delete;
  DatasetChoreRunner& operator=(const DatasetChoreRunner&) = delete;

  void start();
  // No further step begins; the one under way is waited for by stop(), so the bus must answer it.
  void finish();
  void stop();

  // The shard is this process's: what earlier runs and owners left is taken up. May be told again.
  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);

  // Of the shards owned.
  void on_event(const Event& event);

 private:
  // How far a dataset's chores are; a restart begins them anew and finds them done.
  struct Work {
    DatasetId dataset;
    std::string after = {};  // path of the last item removed
    bool name_is_free = false;
    bool objects_are_gone = false;
    bool operator==(const Work& other) const { return dataset == other.dataset; }
  };

  void run();
  void wake_waiting(DatasetId dataset);
  // One step; false when nothing is left to do for now.
  bool advance(Work& work);
  bool pass_sizes_on(DatasetId dataset, DatasetChores chores);
  bool remove_items(Work& work, DatasetChores chores);
  bool prepare_removal(Work& work);
  bool remove_objects(const std::string& below);
  std::optional<Outcome> call(Command command);
  void rest(const char* why, const std::string& code, const std::string& reason);

  CommandBus& bus_;
  const eventstore::EventLog& log_;
  platform::ObjectStore& objects_;
  const platform::Clock& clock_;
  platform::Logger& logger_;

  ShardTurns<Work> turns_;
  std::mutex mutex_;
  std::set<DatasetId> waiting_;  // for a link to come as far as their sizes
  std::thread thread_;
};

}  // namespace annolog::commands
