// How tasks and annotations are shown (spec, "Task", "Annotation"; decisions, section 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/project/classes.hpp"
#include "domain/task/events.hpp"
#include "domain/task/state.hpp"
#include "domain/user/view.hpp"

namespace annolog {

struct LockView {
  UserId user_id;
  Timestamp expires_at;
  bool operator==(const LockView&) const = default;
};
BOOST_DESCRIBE_STRUCT(LockView, (), (user_id, expires_at))

struct TaskView {
  TaskId id;
  std::string display_id;  // T-<number>
  ProjectId project_id;
  std::optional<BatchId> batch_id;
  std::optional<DatasetId> dataset_id;
  std::optional<ItemId> dataset_item_id;
  std::string file_name;
  std::string file_path;
  TaskStatus status = TaskStatus::pending;
  std::optional<UserId> assignee_id;
  std::optional<UserId> reviewer_id;
  std::optional<UserBrief> assignee;
  std::optional<UserBrief> reviewer;
  std::optional<LockView> lock;  // a live one only
  std::optional<RejectReason> reject_reason_type;
  std::optional<std::string> reject_reason;
  std::optional<Timestamp> submitted_at;
  std::optional<Timestamp> reviewed_at;
  std::optional<Timestamp> skipped_at;
  std::int64_t reopened_count = 0;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
  std::int64_t annotation_count = 0;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<std::string> file_url;  // signed, of single tasks; filled by the edge
  bool operator==(const TaskView&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskView, (),
                      (id, display_id, project_id, batch_id, dataset_id, dataset_item_id, file_name,
                       file_path, status, assignee_id, reviewer_id, assignee, reviewer, lock,
                       reject_reason_type, reject_reason, submitted_at, reviewed_at, skipped_at,
                       reopened_count, image_width, image_height, annotation_count, version,
                       created_at, updated_at, file_url))

struct AnnotationView {
  AnnotationId id;
  TaskId task_id;
  ShapeKind type = ShapeKind::bbox;
  ClassId class_id;
  std::string class_name;
  Geometry geometry;
  Attributes attributes;
  std::string source;
  std::optional<PredictionId> parent_prediction_id;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
  std::int64_t version = 1;
  UserId created_by;
  UserId updated_by;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> deleted_at;
  bool operator==(const AnnotationView&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnnotationView, (),
                      (id, task_id, type, class_id, class_name, geometry, attributes, source,
                       parent_prediction_id, confidence, group_id, version, created_by, updated_by,
                       created_at, updated_at, deleted_at))

// `now` decides whether a lock is still one. Briefs are left empty.
TaskView to_view(const TaskState& task, Timestamp now);
AnnotationView to_view(const AnnotationState& annotation, const ClassList& classes);

}  // namespace annolog
