#include "domain/task/view.hpp"

namespace annolog {

TaskView to_view(const TaskState& task, Timestamp now) {
  TaskView view;
  view.id = task.id;
  view.display_id = "T-" + std::to_string(task.number);
  view.project_id = task.project_id;
  view.batch_id = task.batch_id;
  view.dataset_id = task.dataset_id;
  view.dataset_item_id = task.item_id;
  view.file_name = task.file_name;
  view.file_path = task.file_path;
  view.status = task.status;
  view.assignee_id = task.assignee_id;
  view.reviewer_id = task.reviewer_id;
  if (const auto* lock = task.live_lock(now)) view.lock = LockView{lock->user_id, lock->expires_at};
  view.reject_reason_type = task.reject_reason_type;
  view.reject_reason = task.reject_reason;
  view.submitted_at = task.submitted_at;
  view.reviewed_at = task.reviewed_at;
  view.skipped_at = task.skipped_at;
  view.reopened_count = task.reopened_count;
  view.image_width = task.image_width;
  view.image_height = task.image_height;
  view.annotation_count = task.annotation_count;
  view.version = task.version;
  view.created_at = task.created_at;
  view.updated_at = task.updated_at;
  return view;
}

AnnotationView to_view(const AnnotationState& annotation, const ClassList& classes) {
  const auto* known = classes.find(annotation.class_id);
  return {.id = annotation.id,
          .task_id = annotation.task_id,
          .type = kind_of(annotation.geometry),
          .class_id = annotation.class_id,
          .class_name = known ? known->name : "",
          .geometry = annotation.geometry,
          .attributes = annotation.attributes,
          .source = annotation.source,
          .parent_prediction_id = annotation.parent_prediction_id,
          .confidence = annotation.confidence,
          .group_id = annotation.group_id,
          .version = annotation.version,
          .created_by = annotation.created_by,
          .updated_by = annotation.updated_by,
          .created_at = annotation.created_at,
          .updated_at = annotation.updated_at,
          .deleted_at = annotation.deleted_at};
}

}  // namespace annolog
