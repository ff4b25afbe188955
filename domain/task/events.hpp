// Facts about tasks, their locks, annotations and reviews; they live in the project's shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/attributes.hpp"
#include "domain/support/geometry.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

enum class TaskStatus : std::uint8_t {
  pending,
  assigned,
  in_progress,
  submitted,
  review,
  rejected,
  completed
};
BOOST_DESCRIBE_ENUM(TaskStatus, pending, assigned, in_progress, submitted, review, rejected,
                    completed)

enum class RejectReason : std::uint8_t { missing, extra, wrong_label, wrong_geometry };
BOOST_DESCRIBE_ENUM(RejectReason, missing, extra, wrong_label, wrong_geometry)

struct NewTask {
  TaskId task_id;
  std::int64_t number = 0;  // display id T-<number>, within the project
  ItemId item_id;
  std::string file_name;
  std::string file_path;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
  bool operator==(const NewTask&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewTask, (),
                      (task_id, number, item_id, file_name, file_path, image_width, image_height))

// Tasks born of dataset items, at most kMaxItemsPerEvent in one record.
struct TasksCreated {
  static constexpr std::string_view kType = "tasks.created";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  DatasetId dataset_id;
  std::vector<NewTask> tasks;
  bool operator==(const TasksCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(TasksCreated, (), (project_id, dataset_id, tasks))

// Tasks whose dataset was unlinked, with their annotations and comments.
struct TasksRemoved {
  static constexpr std::string_view kType = "tasks.removed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  DatasetId dataset_id;
  std::vector<TaskId> task_ids;
  bool operator==(const TasksRemoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(TasksRemoved, (), (project_id, dataset_id, task_ids))

// The size of its image was not known before.
struct TaskMeasured {
  static constexpr std::string_view kType = "task.measured";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  std::int64_t image_width = 0;
  std::int64_t image_height = 0;
  bool operator==(const TaskMeasured&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskMeasured, (), (project_id, task_id, image_width, image_height))

// tasks/next gave the task to the actor: in progress, assigned to and locked by them.
struct TaskTaken {
  static constexpr std::string_view kType = "task.taken";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;
  Timestamp expires_at;
  bool operator==(const TaskTaken&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskTaken, (), (project_id, task_id, user_id, expires_at))

struct TaskLocked {
  static constexpr std::string_view kType = "task.locked";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;
  Timestamp expires_at;
  bool operator==(const TaskLocked&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskLocked, (), (project_id, task_id, user_id, expires_at))

struct TaskLockRenewed {
  static constexpr std::string_view kType = "task.lock_renewed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;
  Timestamp expires_at;
  bool operator==(const TaskLockRenewed&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskLockRenewed, (), (project_id, task_id, user_id, expires_at))

struct TaskUnlocked {
  static constexpr std::string_view kType = "task.unlocked";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;  // who held it
  bool operator==(const TaskUnlocked&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskUnlocked, (), (project_id, task_id, user_id))

// A lock had ended and was cleared away, some time behind its end. It is no change of the task: an
// ended lock is as none from its instant on.
struct TaskLockExpired {
  static constexpr std::string_view kType = "task.lock_expired";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;        // who held it
  Timestamp expired_at;  // the lock's own end
  bool operator==(const TaskLockExpired&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskLockExpired, (), (project_id, task_id, user_id, expired_at))

struct NewAnnotation {
  AnnotationId annotation_id;
  ClassId class_id;
  std::string class_name;  // as it was then; the id counts
  Geometry geometry;
  Attributes attributes;
  std::string source;  // manual, ai-accepted or an import's origin
  std::optional<PredictionId> parent_prediction_id;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
  bool operator==(const NewAnnotation&) const = default;
};
BOOST_DESCRIBE_STRUCT(NewAnnotation, (),
                      (annotation_id, class_id, class_name, geometry, attributes, source,
                       parent_prediction_id, confidence, group_id))

// All shapes of one call.
struct TaskAnnotationsAdded {
  static constexpr std::string_view kType = "task.annotations_added";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  std::vector<NewAnnotation> annotations;
  bool operator==(const TaskAnnotationsAdded&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskAnnotationsAdded, (), (project_id, task_id, annotations))

// The annotation's mutable part after the change, whole.
struct AnnotationUpdated {
  static constexpr std::string_view kType = "annotation.updated";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  AnnotationId annotation_id;
  std::int64_t version = 0;  // the version this change made
  ClassId class_id;
  std::string class_name;
  Geometry geometry;
  Attributes attributes;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
  bool reviewer_edit = false;  // by a reviewer, of a task in review
  bool operator==(const AnnotationUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnnotationUpdated, (),
                      (project_id, task_id, annotation_id, version, class_id, class_name, geometry,
                       attributes, confidence, group_id, reviewer_edit))

struct AnnotationDeleted {
  static constexpr std::string_view kType = "annotation.deleted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  AnnotationId annotation_id;
  ClassId class_id;
  std::int64_t version = 0;
  bool reviewer_edit = false;
  bool operator==(const AnnotationDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnnotationDeleted, (),
                      (project_id, task_id, annotation_id, class_id, version, reviewer_edit))

// Undoes a deletion; the annotation is as it was before it.
struct AnnotationRestored {
  static constexpr std::string_view kType = "annotation.restored";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  AnnotationId annotation_id;
  ClassId class_id;
  std::int64_t version = 0;
  bool reviewer_edit = false;
  bool operator==(const AnnotationRestored&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnnotationRestored, (),
                      (project_id, task_id, annotation_id, class_id, version, reviewer_edit))

// Clears lock, reject reason and skip mark.
struct TaskSubmitted {
  static constexpr std::string_view kType = "task.submitted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;
  bool operator==(const TaskSubmitted&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskSubmitted, (), (project_id, task_id, user_id))

// Put back without work: free, nobody's, and offered again after all others. The reject reason is
// cleared.
struct TaskSkipped {
  static constexpr std::string_view kType = "task.skipped";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId user_id;
  std::optional<std::string> reason;
  bool operator==(const TaskSkipped&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskSkipped, (), (project_id, task_id, user_id, reason))

struct TaskSentToReview {
  static constexpr std::string_view kType = "task.sent_to_review";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  bool operator==(const TaskSentToReview&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskSentToReview, (), (project_id, task_id))

struct TaskApproved {
  static constexpr std::string_view kType = "task.approved";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  UserId reviewer_id;
  std::optional<UserId> assignee_id;
  bool operator==(const TaskApproved&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskApproved, (), (project_id, task_id, reviewer_id, assignee_id))

struct TaskRejected {
  static constexpr std::string_view kType = "task.rejected";
  static constexpr int kVersion = 2;  // v1 did not tell who had submitted it
  ProjectId project_id;
  TaskId task_id;
  UserId reviewer_id;
  std::optional<UserId> assignee_id;
  RejectReason reason_type = RejectReason::missing;
  std::optional<std::string> reason;
  std::optional<UserId> submitted_by{};  // whose submission it was
  bool operator==(const TaskRejected&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskRejected, (),
                      (project_id, task_id, reviewer_id, assignee_id, reason_type, reason,
                       submitted_by))

// Back to in_progress; the reject reason is cleared.
struct TaskRejectionAccepted {
  static constexpr std::string_view kType = "task.rejection_accepted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  bool operator==(const TaskRejectionAccepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskRejectionAccepted, (), (project_id, task_id))

struct TaskReopened {
  static constexpr std::string_view kType = "task.reopened";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  std::optional<UserId> previous_reviewer_id;
  bool operator==(const TaskReopened&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskReopened, (), (project_id, task_id, previous_reviewer_id))

}  // namespace annolog
