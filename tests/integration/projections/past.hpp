// A task folded from what the read models keep of its past.
#pragma once

#include <optional>

#include "domain/history/past.hpp"
#include "projections/history/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing {

inline TaskPast past_of(const World& world, TaskId id, const Until& until = {}) {
  TaskPast past;
  const auto task = TaskQueries(*world.pool).find(id, {0});
  if (!task) return past;
  HistoryQueries(*world.pool).of_task(*task, until, [&](const PastEvent& event, const auto&) {
    evolve(past, id, event);
    return true;
  });
  return past;
}

inline std::int64_t end_of(const World& world, std::uint16_t shard) {
  return static_cast<std::int64_t>(world.log->end(eventstore::ShardId{shard}).value);
}

}  // namespace annolog::projections::testing
