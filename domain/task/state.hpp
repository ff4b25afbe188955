// What decisions about a task and its annotations need, and their folds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/task/events.hpp"

namespace annolog {

struct Lock {
  UserId user_id;
  Timestamp expires_at;
  bool operator==(const Lock&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lock, (), (user_id, expires_at))

struct TaskState {
  TaskId id;
  ProjectId project_id;
  std::int64_t number = 0;
  std::optional<BatchId> batch_id;
  std::int64_t batch_change = 0;  // of its batch's changes, those it has taken in
  DatasetId dataset_id;
  ItemId item_id;
  std::string file_name;
  std::string file_path;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
  TaskStatus status = TaskStatus::pending;
  std::optional<UserId> assignee_id;
  std::optional<UserId> reviewer_id;
  std::optional<UserId> submitted_by;
  std::optional<Lock> lock;  // may have expired: ask live_lock
  std::optional<RejectReason> reject_reason_type;
  std::optional<std::string> reject_reason;
  std::optional<Timestamp> submitted_at;
  std::optional<Timestamp> reviewed_at;
  std::optional<Timestamp> skipped_at;
  std::int64_t reopened_count = 0;
  std::int64_t annotation_count = 0;
  std::int64_t version = 0;  // 0: does not exist
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const TaskState&) const = default;

  // An expired lock is as no lock, at the instant of expiry.
  const Lock* live_lock(Timestamp now) const {
    return lock && now < lock->expires_at ? &*lock : nullptr;
  }
  bool locked_by_other(UserId user, Timestamp now) const {
    const auto* held = live_lock(now);
    return held != nullptr && held->user_id != user;
  }
};
BOOST_DESCRIBE_STRUCT(TaskState, (),
                      (id, project_id, number, batch_id, batch_change, dataset_id, item_id,
                       file_name, file_path, image_width, image_height, status, assignee_id,
                       reviewer_id, submitted_by, lock, reject_reason_type, reject_reason,
                       submitted_at, reviewed_at, skipped_at, reopened_count, annotation_count,
                       version, created_at, updated_at))

struct AnnotationState {
  AnnotationId id;
  TaskId task_id;
  ClassId class_id;
  Geometry geometry;
  Attributes attributes;
  std::string source;
  std::optional<PredictionId> parent_prediction_id;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
  std::int64_t version = 0;
  UserId created_by;
  UserId updated_by;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> deleted_at;
  bool operator==(const AnnotationState&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnnotationState, (),
                      (id, task_id, class_id, geometry, attributes, source, parent_prediction_id,
                       confidence, group_id, version, created_by, updated_by, created_at,
                       updated_at, deleted_at))

TaskState born(const TasksCreated& event, const NewTask& task, const Happened& how);
AnnotationState born(const TaskAnnotationsAdded& event, const NewAnnotation& annotation,
                     const Happened& how);

// No checks here: what is recorded has happened.
void evolve(TaskState& state, const TaskMeasured& event, const Happened& how);
void evolve(TaskState& state, const TaskTaken& event, const Happened& how);
void evolve(TaskState& state, const TaskLocked& event, const Happened& how);
void evolve(TaskState& state, const TaskLockRenewed& event, const Happened& how);
void evolve(TaskState& state, const TaskUnlocked& event, const Happened& how);
void evolve(TaskState& state, const TaskLockExpired& event, const Happened& how);
void evolve(TaskState& state, const TaskAnnotationsAdded& event, const Happened& how);
void evolve(TaskState& state, const AnnotationUpdated& event, const Happened& how);
void evolve(TaskState& state, const AnnotationDeleted& event, const Happened& how);
void evolve(TaskState& state, const TaskSkipped& event, const Happened& how);
void evolve(TaskState& state, const AnnotationRestored& event, const Happened& how);
void evolve(TaskState& state, const TaskSubmitted& event, const Happened& how);
void evolve(TaskState& state, const TaskSentToReview& event, const Happened& how);
void evolve(TaskState& state, const TaskApproved& event, const Happened& how);
void evolve(TaskState& state, const TaskRejected& event, const Happened& how);
void evolve(TaskState& state, const TaskRejectionAccepted& event, const Happened& how);
void evolve(TaskState& state, const TaskReopened& event, const Happened& how);

void evolve(AnnotationState& state, const AnnotationUpdated& event, const Happened& how);
void evolve(AnnotationState& state, const AnnotationDeleted& event, const Happened& how);
void evolve(AnnotationState& state, const AnnotationRestored& event, const Happened& how);

}  // namespace annolog
