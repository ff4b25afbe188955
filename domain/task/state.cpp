#include "domain/task/state.hpp"

namespace annolog {
namespace {

void clear_reason(TaskState& state) {
  state.reject_reason.reset();
  state.reject_reason_type.reset();
}

void review(TaskState& state, TaskStatus status, UserId reviewer, const Happened& how) {
  touch(state, how);
  state.status = status;
  state.reviewer_id = reviewer;
  state.reviewed_at = how.at;
  state.lock.reset();
}

}  // namespace

TaskState born(const TasksCreated& event, const NewTask& task, const Happened& how) {
  TaskState state;
  state.id = task.task_id;
  state.project_id = event.project_id;
  state.number = task.number;
  state.dataset_id = event.dataset_id;
  state.item_id = task.item_id;
  state.file_name = task.file_name;
  state.file_path = task.file_path;
  state.image_width = task.image_width;
  state.image_height = task.image_height;
  state.version = 1;
  state.created_at = how.at;
  state.updated_at = how.at;
  return state;
}

AnnotationState born(const TaskAnnotationsAdded& event, const NewAnnotation& annotation,
                     const Happened& how) {
  return {.id = annotation.annotation_id,
          .task_id = event.task_id,
          .class_id = annotation.class_id,
          .geometry = annotation.geometry,
          .attributes = annotation.attributes,
          .source = annotation.source,
          .parent_prediction_id = annotation.parent_prediction_id,
          .confidence = annotation.confidence,
          .group_id = annotation.group_id,
          .version = 1,
          .created_by = how.actor,
          .updated_by = how.actor,
          .created_at = how.at,
          .updated_at = how.at,
          .deleted_at = std::nullopt};
}

void evolve(TaskState& state, const TaskMeasured& event, const Happened& how) {
  touch(state, how);
  state.image_width = event.image_width;
  state.image_height = event.image_height;
}

void evolve(TaskState& state, const TaskTaken& event, const Happened& how) {
  touch(state, how);
  state.status = TaskStatus::in_progress;
  state.assignee_id = event.user_id;
  state.lock = Lock{event.user_id, event.expires_at};
}

void evolve(TaskState& state, const TaskLocked& event, const Happened& how) {
  touch(state, how);
  state.lock = Lock{event.user_id, event.expires_at};
}

void evolve(TaskState& state, const TaskLockRenewed& event, const Happened& how) {
  touch(state, how);
  state.lock = Lock{event.user_id, event.expires_at};
}

void evolve(TaskState& state, const TaskUnlocked&, const Happened& how) {
  touch(state, how);
  state.lock.reset();
}

// Version and time stay: nobody sees a difference, and whoever changes what they have read of the
// task must not be refused for it.
void evolve(TaskState& state, const TaskLockExpired&, const Happened&) { state.lock.reset(); }

void evolve(TaskState& state, const TaskAnnotationsAdded& event, const Happened& how) {
  touch(state, how);
  state.annotation_count += static_cast<std::int64_t>(event.annotations.size());
}

void evolve(TaskState& state, const AnnotationUpdated&, const Happened& how) { touch(state, how); }

void evolve(TaskState& state, const AnnotationDeleted&, const Happened& how) {
  touch(state, how);
  --state.annotation_count;
}

void evolve(TaskState& state, const AnnotationRestored&, const Happened& how) {
  touch(state, how);
  ++state.annotation_count;
}

void evolve(TaskState& state, const TaskSubmitted& event, const Happened& how) {
  touch(state, how);
  clear_reason(state);
  state.status = TaskStatus::submitted;
  state.submitted_at = how.at;
  state.submitted_by = event.user_id;
  state.skipped_at.reset();
  state.lock.reset();
  if (!state.assignee_id) state.assignee_id = event.user_id;
}

void evolve(TaskState& state, const TaskSkipped&, const Happened& how) {
  touch(state, how);
  clear_reason(state);
  state.status = TaskStatus::pending;
  state.assignee_id.reset();
  state.skipped_at = how.at;
  state.lock.reset();
}

void evolve(TaskState& state, const TaskSentToReview&, const Happened& how) {
  touch(state, how);
  state.status = TaskStatus::review;
}

void evolve(TaskState& state, const TaskApproved& event, const Happened& how) {
  review(state, TaskStatus::completed, event.reviewer_id, how);
}

void evolve(TaskState& state, const TaskRejected& event, const Happened& how) {
  review(state, TaskStatus::rejected, event.reviewer_id, how);
  state.reject_reason_type = event.reason_type;
  state.reject_reason = event.reason;
}

void evolve(TaskState& state, const TaskRejectionAccepted&, const Happened& how) {
  touch(state, how);
  clear_reason(state);
  state.status = TaskStatus::in_progress;
}

void evolve(TaskState& state, const TaskReopened&, const Happened& how) {
  touch(state, how);
  clear_reason(state);
  state.status = TaskStatus::in_progress;
  ++state.reopened_count;
}

void evolve(AnnotationState& state, const AnnotationUpdated& event, const Happened& how) {
  state.class_id = event.class_id;
  state.geometry = event.geometry;
  state.attributes = event.attributes;
  state.confidence = event.confidence;
  state.group_id = event.group_id;
  state.version = event.version;
  state.updated_by = how.actor;
  state.updated_at = how.at;
}

void evolve(AnnotationState& state, const AnnotationDeleted& event, const Happened& how) {
  state.version = event.version;
  state.updated_by = how.actor;
  state.updated_at = how.at;
  state.deleted_at = how.at;
}

void evolve(AnnotationState& state, const AnnotationRestored& event, const Happened& how) {
  state.version = event.version;
  state.updated_by = how.actor;
  state.updated_at = how.at;
  state.deleted_at.reset();
}

}  // namespace annolog
