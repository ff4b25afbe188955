// Follows the log and keeps the read models: one thread takes batches of records over all shards,
// folds them in memory into few row writes, and applies them to PostgreSQL in one transaction with
// its checkpoints. A batch is in the database wholly or not at all, and the checkpoint moves only
// from the position this projector believes in, so that every event counts exactly once.
//
// Commits don't wait for PostgreSQL's disk (synchronous_commit off): a crash of PostgreSQL may take
// the last batches back together with their checkpoints, and they are applied again.
//
// start(), stop() and on_commit() belong to one thread; everything else may be called from any.
// Nothing throws after start(): a broken environment shows in healthy(), the log and the metrics,
// and the projector tries again until it is stopped. Source: architecture, "The read side".
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/engine/unseal.hpp"

namespace annolog::projections {

struct ProjectorOptions {
  std::string database_url;
  std::size_t batch_records = 2'000;
  std::size_t batch_bytes = 2U << 20U;  // of data; in memory, as rows too, eight times that
  // In a busy stream events gather for so long since the last batch went off: few batches cost
  // PostgreSQL less than many. A reader that waits for one of them ends it. A stream is busy while
  // so many records come in a second: with fewer there is time for a batch of each, and whoever is
  // told of them need not wait.
  std::int64_t gather_ms = 10;
  std::int64_t busy_per_s = 4'000;
  // Of many nodes: it applies the shards that it is told to (assign), tells the others of each
  // batch, and never takes the log for shorter than the read models: what is missing here is on
  // its way. Otherwise all shards are this projector's.
  bool one_of_many = false;
  // Tasks that follow a change of their batch's people within a batch of events.
  std::int64_t settle_tasks = 1'000;
  // And between two: so few that PostgreSQL leaves the processor to others before they wait long
  // (docs/decisions, 0033).
  std::int64_t settle_step = 100;
  // New tasks in a batch of events, for the same reason.
  std::size_t births_max = 50;
  std::size_t fresh_bytes = 16U << 20U;  // of events handed over and not yet applied
  std::int64_t connect_ms = 5'000;
  std::int64_t statement_ms = 60'000;
  std::int64_t retry_least_ms = 100;  // back-off after a failure, doubled up to the most, jittered
  std::int64_t retry_most_ms = 5'000;
};

// An event whose effect is committed. `event` is null for a record that could not be decoded or
// whose subject is parked.
struct AppliedEvent {
  const eventstore::Record* record = nullptr;
  const Event* event = nullptr;
};

// Called after the commit and before the barrier moves, on the projector's thread, in the order of
// each shard, each event at most once per process. Valid during the call only. Be quick; what it
// throws is logged and forgotten.
using CommitListener = std::function<void(std::span<const AppliedEvent>)>;

class Projector {
 public:
  struct Dependencies {
    eventstore::EventLog& log;
    ReadBarrier& barrier;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
    Unseal unseal;
  };

  Projector(Dependencies dependencies, ProjectorOptions options);
  ~Projector();  // stops
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  void on_commit(CommitListener listener);  // before start()
  // `known`: what listeners know from elsewhere; the first that they are told is what follows it,
  // though a rebuild should show it first. Without, it is what follows the read models of now.
  void start(const std::optional<Positions>& known = std::nullopt);
  // An event that this process has just committed, so that it need not be decoded from the log
  // again (fresh_events.hpp). Quick.
  void hand_over(eventstore::Position at, std::size_t bytes, Event event);
  // One of many: these shards are its own from now on, or no longer. revoke() returns once no batch
  // with them is under way, at the latest after `wait_ms`: the checkpoints then refuse it.
  void assign(std::span<const eventstore::ShardId> shards);
  void revoke(std::span<const eventstore::ShardId> shards, std::int64_t wait_ms);
  // Ends after the batch in hand; returns when the thread has ended.
  void stop();

  // Connected, and the last batch went in.
  bool healthy() const;
  std::string detail() const;         // one line for a person; empty when all is well
  std::uint64_t lag_records() const;  // over all shards
  std::int64_t lag_ms() const;        // age of the oldest record known to be missing; 0: none
  void publish_lag() const;           // sets the gauges of the two to what holds now

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::projections
