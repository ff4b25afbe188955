// What work asks of its batch and does to it, and what else moves it (decisions, section 4: the
// automatic steps).
#pragma once

#include "domain/batch/state.hpp"
#include "domain/events.hpp"
#include "domain/support/result.hpp"

namespace annolog {

// The batch that a task is in, as a decision about the task sees it.
struct TaskBatch {
  BatchState batch;
  BatchProgress progress;
};

// 409 BATCH_NOT_OPEN: tasks are offered, locked and changed while their batch is active, annotating
// or reviewing.
Result<void> require_open(const BatchState& batch);
// The same for a task that may be in none.
Result<void> require_open(const std::optional<TaskBatch>& in);

// Adds to `events`, which happen to `task` of that batch, the steps of the batch that follow: from
// active at the first work, and from annotating on to reviewing when no task is open.
void follow_work(const TaskBatch& in, const TaskState& task, Events& events);

// The same step to reviewing for a batch that came to stand so by `events`: it was moved to
// annotating, or lost tasks. One without any task stays, as there is nothing to review.
void follow_tasks(const TaskBatch& after, Events& events);

}  // namespace annolog
