// Brings changes of batches' people to their tasks, little by little between the batches of events,
// so that one who reassigns a million tasks holds up nobody else's reads. Until a batch is settled
// its project's tasks and counts are not shown (ReadBarrier::is_settled, api/settled_reads.hpp);
// an event about one of its tasks settles the rest of it first. A part is settled once, by whoever
// deletes or moves on its batch's row, and what was not survives in the table. One thread, the
// connection's. Source: docs/decisions, 0024. Errors: pg/errors.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "projections/engine/read_barrier.hpp"
#include "projections/pg/connection.hpp"
#include "projections/tasks/projection.hpp"

namespace annolog::projections {

std::set<eventstore::ShardId> load_unsettled_shards(PgConnection& connection);

struct SettlingOptions {
  std::int64_t tasks_at_once = 0;  // that follow with the event itself
  std::int64_t tasks_a_step = 1;   // at least one
};

class Settling {
 public:
  using Serves = std::function<bool(eventstore::ShardId)>;

  // `serves`: whose batches this connection settles.
  Settling(PgConnection& connection, Serves serves, SettlingOptions options);

  // What the database has left to do; at a session's start.
  void load();
  // A batch of events that is made into statements may leave some.
  void expect(eventstore::ShardId shard) { shards_.insert(shard); }
  // Tells the barrier, before it shows what was committed.
  void announce(ReadBarrier& barrier) const;

  bool any() const { return !shards_.empty(); }
  bool any(eventstore::ShardId shard) const { return shards_.contains(shard); }
  TaskSettling of_tasks() const { return {.any = any(), .tasks_at_once = options_.tasks_at_once}; }

  // Settles some batches, or a part of one, in a transaction of its own. Shards that have none left
  // leave the list and are returned.
  std::vector<eventstore::ShardId> step();
  // All there are, within the caller's transaction or none.
  void finish();

 private:
  struct Unsettled {
    std::int64_t batch = 0;
    eventstore::ShardId shard;
    std::int64_t settled_to = 0;
    std::int64_t tasks = 0;
  };
  std::vector<Unsettled> first_unsettled();
  // How many of them, from the first on, are no longer there.
  std::size_t settle(const std::vector<Unsettled>& batches);
  bool settle_part(const Unsettled& of);  // false: what is left of it is less than a step
  void run(const Statement& statement, const Params& params);  // in a transaction of its own

  PgConnection& connection_;
  Serves serves_;
  SettlingOptions options_;
  std::set<eventstore::ShardId> shards_;  // where there may be some
};

}  // namespace annolog::projections
