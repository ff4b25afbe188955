// The shard runtime: a few writer threads, each the only writer of its shards (shard mod writers).
// A writer takes all commands that wait, decides each against the state that the earlier ones left,
// commits the whole group in one synced append, and only then replies (architecture, "The write
// path"). Callers and the service's own steps take turns (WaitingCommands). start() first folds
// whatever the state has not seen.
//
// Threads: send() from any; observers run on a writer's thread after the commit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commands/bus.hpp"
#include "commands/committed_event.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"

namespace annolog::commands {

struct RuntimeOptions {
  std::size_t writers = 2;
  std::size_t queue_limit = 4096;           // waiting commands of one writer; beyond: 503
  std::size_t group_commands_max = 256;     // of one commit
  std::size_t group_bytes_max = 4U << 20U;  // of one commit: others wait for it
  std::int64_t lock_ms = kDefaultLockMs;
};

// What the process does when the log can't be trusted any more: stop, so that the restart finds
// the truth. Must not return to normal work.
using OnFatal = std::function<void(const std::string& why)>;

class Runtime final : public CommandBus {
 public:
  Runtime(eventstore::EventLog& log, const platform::Clock& clock, platform::Logger& logger,
          platform::Metrics& metrics, RuntimeOptions options, OnFatal on_fatal);
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Called with a commit's events before their commands are answered, in the order of each shard;
  // the observer may take them. Set before start(), must be quick.
  using Observer = std::function<void(std::span<CommittedEvent>)>;
  void observe(Observer observer);

  // Brings every shard's state to the end of its log, then takes commands. Throws when a record
  // can't be read or decoded, naming shard and offset.
  void start();
  // Decides what waits, refuses what comes after.
  void stop();

  std::uint16_t shard_count() const override;
  void send(Envelope envelope) override;

 private:
  struct Shared;
  class Writer;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Writer>> writers_;
};

// Folds the records after the state's position, chunk by chunk; resets state of another format.
// Returns the number of records folded.
std::uint64_t fold_to_end(eventstore::EventLog& log, eventstore::ShardId shard);

// The time of the shard's last record, 0 when it has none: time never goes back within a shard.
std::int64_t last_time(const eventstore::EventLog& log, eventstore::ShardId shard);

// Drops the state of all shards and folds the log again. `progress`: a shard is done; in no order,
// one call at a time.
void refold_all(eventstore::EventLog& log, const std::function<void(std::uint16_t)>& progress);

}  // namespace annolog::commands
