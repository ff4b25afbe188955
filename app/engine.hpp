// Where the events are and where commands are decided: all in this process (RocksDB), or on the
// nodes of a Kafka cluster, of which this process may be one. start(), stop() and the callbacks'
// setters belong to one thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "commands/bus.hpp"
#include "commands/committed_event.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

class Engine {
 public:
  // Called with a commit's events before their commands are answered; may take them.
  using Observer = std::function<void(std::span<commands::CommittedEvent>)>;
  // A shard has become this process's to write, or is it no longer; may be told twice.
  using OnOwnership = std::function<void(eventstore::ShardId shard, bool owned)>;

  virtual ~Engine() = default;
  virtual eventstore::EventLog& log() = 0;
  virtual commands::CommandBus& bus() = 0;
  virtual bool decides() const = 0;  // this process may own shards
  // All that keep parts of the log answer this process (LeaderWatch). Any thread.
  virtual bool hears_log() const = 0;
  virtual void observe(Observer observer) = 0;
  virtual void on_ownership(OnOwnership callback) = 0;
  // Sets the gauges that are read on demand. Any thread.
  virtual void publish_lag() const = 0;
  // Brings the state to the end of the log, then takes commands.
  virtual void start() = 0;
  virtual void stop() = 0;
};

// `on_fatal`: the embedded log can't be trusted any more; must not return to normal work.
std::unique_ptr<Engine> make_engine(const platform::Settings& settings,
                                    const platform::Clock& clock, platform::Logger& logger,
                                    platform::Metrics& metrics,
                                    std::function<void(const std::string& why)> on_fatal);

}  // namespace annolog::app
