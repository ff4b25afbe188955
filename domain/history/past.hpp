// A task and its annotations as their events left them, up to any moment.
#pragma once

#include <cstdint>
#include <map>

#include "domain/batch/state.hpp"
#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/task/state.hpp"

namespace annolog {

// An event with its place in the log of its shard, who caused it and when.
struct PastEvent {
  std::int64_t position = 0;
  Happened how;
  Event event;
};

struct TaskPast {
  TaskState task;  // version 0: not yet
  std::map<AnnotationId, AnnotationState> annotations;
  std::map<BatchId, BatchState> batches;  // those that the task was ever in, as they are told
};

// Takes the event in. Events that don't concern the task leave it as it was. A birth counts for
// `id` only: a record tells those of many tasks.
void evolve(TaskPast& past, TaskId id, const PastEvent& event);

}  // namespace annolog
