// Which events a task's own past is made of: each has a row in task_events, as the log has it.
#pragma once

#include "domain/identity/context.hpp"
#include "domain/support/ids.hpp"
#include "domain/task/state.hpp"

namespace annolog::projections {

// Whatever the fold of tasks takes in.
template <class E>
concept OfATask = requires(const E& event, TaskState& task, const Happened& how) {
  evolve(task, event, how);
  { ProjectId(event.project_id) };
  { TaskId(event.task_id) };
};

}  // namespace annolog::projections
