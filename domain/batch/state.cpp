#include "domain/batch/state.hpp"

#include <boost/describe/enum_to_string.hpp>

namespace annolog {
namespace {

bool begun(TaskStatus status) {
  return status == TaskStatus::in_progress || status == TaskStatus::rejected;
}

// Open work goes to the annotator, and nobody else holds it any more; so does what waits for
// review, which keeps its lock: that is its reviewer's.
void take_annotator(TaskState& task, const BatchState& batch) {
  task.assignee_id = batch.annotator_id;
  if (!is_open(task.status)) return;
  task.lock.reset();
  if (!begun(task.status)) {
    task.status = batch.annotator_id ? TaskStatus::assigned : TaskStatus::pending;
  }
}

void take_reviewer(TaskState& task, const BatchState& batch) {
  task.reviewer_id = batch.reviewer_id;
  if (!is_open(task.status)) task.lock.reset();
}

void forget_review(BatchState& state) {
  state.review_feedback.reset();
  state.reviewed_at.reset();
  state.reviewed_by.reset();
}

}  // namespace

const char* to_string(BatchStatus status) {
  return boost::describe::enum_to_string(status, "unknown");
}

std::int64_t& BatchProgress::of(TaskStatus status) {
  switch (status) {
    case TaskStatus::pending: return pending;
    case TaskStatus::assigned: return assigned;
    case TaskStatus::in_progress: return in_progress;
    case TaskStatus::submitted: return submitted;
    case TaskStatus::review: return review;
    case TaskStatus::rejected: return rejected;
    case TaskStatus::completed: break;
  }
  return completed;
}

std::int64_t BatchProgress::total() const { return open() + awaiting_review() + completed; }

BatchState born(const BatchCreated& event, const Happened& how) {
  BatchState state;
  state.id = event.batch_id;
  state.project_id = event.project_id;
  state.number = event.number;
  state.name = event.name;
  state.annotator_id = event.annotator_id;
  state.reviewer_id = event.reviewer_id;
  state.version = 1;
  state.created_by = how.actor;
  state.created_at = how.at;
  state.updated_at = how.at;
  return state;
}

void evolve(BatchState& state, const BatchRenamed& event, const Happened& how) {
  touch(state, how);
  state.name = event.name;
}

void evolve(BatchState& state, const BatchAssigned& event, const Happened& how) {
  touch(state, how);
  ++state.change;
  state.assigned_at = how.at;
  state.annotator_id = event.annotator_id;
  state.reviewer_id = event.reviewer_id;
  if (event.annotator_changed) state.annotator_change = state.change;
  if (event.reviewer_changed) state.reviewer_change = state.change;
}

void evolve(BatchState& state, const BatchMoved& event, const Happened& how) {
  touch(state, how);
  state.status = event.to;
  const bool reviewed = event.to == BatchStatus::approved ||
                        (event.from == BatchStatus::reviewing && event.to == BatchStatus::rejected);
  if (reviewed) {
    state.review_feedback = event.review_feedback;
    state.reviewed_at = how.at;
    state.reviewed_by = how.actor;
  }
  if (event.from == BatchStatus::approved && event.to == BatchStatus::reviewing) {
    forget_review(state);
  }
}

void evolve(BatchState& state, const BatchReset&, const Happened& how) {
  touch(state, how);
  state.status = BatchStatus::draft;
  forget_review(state);
}

void evolve(BatchProgress& progress, const BatchAssigned& event) {
  if (!event.annotator_changed) return;
  const auto waiting = progress.pending + progress.assigned;
  progress.assigned = event.annotator_id ? waiting : 0;
  progress.pending = event.annotator_id ? 0 : waiting;
}

TaskState caught_up(TaskState task, const BatchState& batch) {
  const auto missed = batch.change - task.batch_change;
  if (missed == 0) return task;
  if (task.status != TaskStatus::completed) {
    if (batch.annotator_change > task.batch_change) take_annotator(task, batch);
    if (batch.reviewer_change > task.batch_change) take_reviewer(task, batch);
    task.version += missed;
    task.updated_at = batch.assigned_at;
  }
  task.batch_change = batch.change;
  return task;
}

void join(TaskState& task, const BatchState& batch, const Happened& how) {
  touch(task, how);
  task.batch_id = batch.id;
  task.batch_change = batch.change;
  if (task.status == TaskStatus::completed) return;
  // Begun work stays with who began it where the batch names nobody.
  const bool untouched = is_open(task.status) && !begun(task.status);
  if (batch.annotator_id || untouched) take_annotator(task, batch);
  if (batch.reviewer_id) take_reviewer(task, batch);
}

void leave(TaskState& task, const Happened& how) {
  touch(task, how);
  task.batch_id.reset();
  task.batch_change = 0;
}

void reset(TaskState& task, const BatchReset& event, const Happened& how) {
  touch(task, how);
  task.status = TaskStatus::pending;
  task.assignee_id.reset();
  task.reviewer_id = event.reviewer_id;
  task.lock.reset();
  task.reject_reason_type.reset();
  task.reject_reason.reset();
  task.submitted_at.reset();
  task.submitted_by.reset();
  task.reviewed_at.reset();
  task.skipped_at.reset();
}

}  // namespace annolog
