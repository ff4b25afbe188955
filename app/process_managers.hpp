// The processes that span shards, for the shards that this process owns. own() and on_event() from
// any thread; a shard's own() comes before new commands of it are let in.
#pragma once

#include "commands/bus.hpp"
#include "commands/process_managers/link_runner.hpp"
#include "commands/process_managers/removal_runner.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::app {

class ProcessManagers {
 public:
  struct Parts {
    commands::CommandBus& bus;
    const eventstore::EventLog& log;
    platform::ObjectStore& objects;
    const platform::Clock& clock;
    platform::Logger& logger;
  };
  ProcessManagers(const Parts& parts, commands::LinkRunnerOptions links);

  void start();
  // No further step begins; those under way are waited for by stop(), so the bus must answer them.
  void finish();
  void stop();

  // The shard has become this process's to write, or is it no longer.
  void own(eventstore::ShardId shard, bool owned);
  // Of the shards owned, after the commit.
  void on_event(const Event& event);

 private:
  commands::LinkRunner links_;
  commands::RemovalRunner removals_;
};

}  // namespace annolog::app
