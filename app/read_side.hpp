// What keeps the read models up and lets reads know how far they are. In one process: a projector
// for everything. On the nodes of a cluster: the projectors share the shards through a consumer
// group, every node hears from PostgreSQL how far they are, and follows the log itself for what it
// keeps in memory. start() and stop() belong to one thread, the rest to any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "platform/settings.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/engine/unseal.hpp"

namespace annolog::app {

class ReadSide {
 public:
  struct Parts {
    eventstore::EventLog& log;
    projections::ReadBarrier& barrier;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
    projections::Unseal unseal;
    // Of these types, before the barrier lets a read see them; others may come too.
    std::unordered_set<std::string> directory_types;
    std::function<void(eventstore::Position at, const Event& event)> on_directory_event;
    std::function<bool()> hears_log;  // Engine's
  };

  virtual ~ReadSide() = default;
  // Before anything is loaded from the read models: in one process they are of this log then, and
  // know no more than it. May take as long as a rebuild; `stopping` is asked meanwhile, and then
  // projections::RebuildCancelled is thrown.
  virtual void prepare(const std::function<bool()>& stopping) = 0;
  // `shown`: what the directory's rows already hold.
  virtual void start(const projections::Positions& shown) = 0;
  virtual void stop() = 0;
  // An event that this process has just committed.
  virtual void hand_over(eventstore::Position at, std::size_t bytes, Event event) = 0;
  virtual bool healthy() const = 0;
  virtual std::string detail() const = 0;  // one line for a person; empty when all is well
  virtual void publish_lag() const = 0;
};

std::unique_ptr<ReadSide> make_read_side(const platform::Settings& settings, ReadSide::Parts parts);

}  // namespace annolog::app
