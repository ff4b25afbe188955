#include "projections/tasks/projection.hpp"

#include <tuple>

#include "projections/tasks/write_statements.hpp"

namespace annolog::projections {
namespace {

// Of a task that had nobody.
const std::optional<UserId>& first_assignee(const TaskChange& change) {
  return change.assignee ? change.assignee : change.assignee_if_none;
}

template <class E>
std::optional<std::string_view> words(const std::optional<E>& value) {
  return value ? std::optional(word_of(*value)) : std::nullopt;
}

}  // namespace

void TaskRows::apply(const TasksCreated& event, const Happened& how) {
  if (!assigned_.empty()) close_phase();
  for (const NewTask& task : event.tasks) {
    birth_index_[task.task_id] = births_.size();
    births_.push_back({task, event.project_id, event.dataset_id, how.at.ms, {}});
    births_.back().change.id = task.task_id;
    births_.back().change.updated_at_ms = how.at.ms;
  }
  dataset_tasks_[{event.project_id, event.dataset_id}] +=
      static_cast<std::int64_t>(event.tasks.size());
}

TaskChange& TaskRows::change(TaskId id) {
  if (!assigned_.empty()) close_phase();
  if (const auto born = birth_index_.find(id); born != birth_index_.end())
    return births_[born->second].change;
  const auto [found, is_new] = change_index_.try_emplace(id, changes_.size());
  if (is_new) changes_.emplace_back().id = id;
  return changes_[found->second];
}

TaskChange& TaskRows::touch(TaskId id, const Happened& how) {
  TaskChange& touched = change(id);
  ++touched.versions;
  touched.updated_at_ms = how.at.ms;
  return touched;
}

TaskChange& TaskRows::lock(TaskId id, UserId user, Timestamp expires_at, const Happened& how) {
  TaskChange& change = touch(id, how);
  change.lock_changed = true;
  change.lock_user = user;
  change.lock_expires_at_ms = expires_at.ms;
  return change;
}

namespace {

void unlock(TaskChange& change) {
  change.lock_changed = true;
  change.lock_user.reset();
  change.lock_expires_at_ms.reset();
}

void clear_reason(TaskChange& change) {
  change.reason_changed = true;
  change.reason_type.reset();
  change.reason.reset();
}

}  // namespace

TaskChange& TaskRows::review(TaskId id, TaskStatus status, UserId reviewer, const Happened& how) {
  TaskChange& change = touch(id, how);
  change.status = status;
  change.reviewer = reviewer;
  change.reviewed_at_ms = how.at.ms;
  unlock(change);
  return change;
}

void TaskRows::apply(const TaskMeasured& event, const Happened& how) {
  TaskChange& change = touch(event.task_id, how);
  change.image_width = event.image_width;
  change.image_height = event.image_height;
}

void TaskRows::apply(const TaskTaken& event, const Happened& how) {
  TaskChange& change = lock(event.task_id, event.user_id, event.expires_at, how);
  change.status = TaskStatus::in_progress;
  change.assignee = event.user_id;
  change.assignee_cleared = false;
}

void TaskRows::apply(const TaskLocked& event, const Happened& how) {
  lock(event.task_id, event.user_id, event.expires_at, how);
}

void TaskRows::apply(const TaskLockRenewed& event, const Happened& how) {
  lock(event.task_id, event.user_id, event.expires_at, how);
}

void TaskRows::apply(const TaskUnlocked& event, const Happened& how) {
  unlock(touch(event.task_id, how));
}

void TaskRows::apply(const TaskLockExpired& event, const Happened&) {
  unlock(change(event.task_id));
}

void TaskRows::apply(const TaskAnnotationsAdded& event, const Happened& how) {
  touch(event.task_id, how).annotations += static_cast<std::int64_t>(event.annotations.size());
}

void TaskRows::apply(const AnnotationUpdated& event, const Happened& how) {
  touch(event.task_id, how);
}

void TaskRows::apply(const AnnotationDeleted& event, const Happened& how) {
  --touch(event.task_id, how).annotations;
}

void TaskRows::apply(const AnnotationRestored& event, const Happened& how) {
  ++touch(event.task_id, how).annotations;
}

void TaskRows::apply(const TaskSubmitted& event, const Happened& how) {
  TaskChange& change = touch(event.task_id, how);
  change.status = TaskStatus::submitted;
  change.submitted_at_ms = how.at.ms;
  change.skipped_at_ms.reset();
  clear_reason(change);
  unlock(change);
  if (!change.assignee && !change.assignee_if_none) change.assignee_if_none = event.user_id;
}

void TaskRows::apply(const TaskSentToReview& event, const Happened& how) {
  touch(event.task_id, how).status = TaskStatus::review;
}

void TaskRows::apply(const TaskApproved& event, const Happened& how) {
  review(event.task_id, TaskStatus::completed, event.reviewer_id, how);
}

void TaskRows::apply(const TaskRejected& event, const Happened& how) {
  TaskChange& change = review(event.task_id, TaskStatus::rejected, event.reviewer_id, how);
  change.reason_changed = true;
  change.reason_type = event.reason_type;
  change.reason = event.reason;
}

void TaskRows::apply(const TaskRejectionAccepted& event, const Happened& how) {
  TaskChange& change = touch(event.task_id, how);
  change.status = TaskStatus::in_progress;
  clear_reason(change);
}

void TaskRows::apply(const TaskReopened& event, const Happened& how) {
  TaskChange& change = touch(event.task_id, how);
  change.status = TaskStatus::in_progress;
  clear_reason(change);
  ++change.reopened;
}

void TaskRows::apply(const TaskSkipped& event, const Happened& how) {
  TaskChange& change = touch(event.task_id, how);
  change.status = TaskStatus::pending;
  change.assignee.reset();
  change.assignee_if_none.reset();
  change.assignee_cleared = true;
  change.skipped_at_ms = how.at.ms;
  clear_reason(change);
  unlock(change);
}

void TaskRows::take_births(StatementQueue& out) {
  insert_rows(
      out, kInsertTasks, births_,
      Column{PgType::int8, [](const auto& r) { return r.task.task_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.task.number; }},
      Column{PgType::int8, [](const auto& r) { return r.dataset_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.task.item_id.value; }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.task.file_name); }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.task.file_path); }},
      Column{PgType::int8,
             [](const auto& r) {
               return r.change.image_width ? r.change.image_width : r.task.image_width;
             }},
      Column{PgType::int8,
             [](const auto& r) {
               return r.change.image_height ? r.change.image_height : r.task.image_height;
             }},
      Column{PgType::text,
             [](const auto& r) { return word_of(r.change.status.value_or(TaskStatus::pending)); }},
      Column{PgType::int8, [](const auto& r) { return first_assignee(r.change); }},
      Column{PgType::int8, [](const auto& r) { return r.change.reviewer; }},
      Column{PgType::int8, [](const auto& r) { return r.change.lock_user; }},
      Column{PgType::int8, [](const auto& r) { return r.change.lock_expires_at_ms; }},
      Column{PgType::text, [](const auto& r) { return words(r.change.reason_type); }},
      Column{PgType::text, [](const auto& r) { return r.change.reason; }},
      Column{PgType::int8, [](const auto& r) { return r.change.submitted_at_ms; }},
      Column{PgType::int8, [](const auto& r) { return r.change.reviewed_at_ms; }},
      Column{PgType::int8, [](const auto& r) { return r.change.skipped_at_ms; }},
      Column{PgType::int8, [](const auto& r) { return r.change.reopened; }},
      Column{PgType::int8, [](const auto& r) { return r.change.annotations; }},
      Column{PgType::int8, [](const auto& r) { return r.change.versions + 1; }},
      Column{PgType::int8, [](const auto& r) { return r.created_at_ms; }},
      Column{PgType::int8, [](const auto& r) { return r.change.updated_at_ms; }});
  insert_rows(
      out, kInsertTaskNames, births_,
      Column{PgType::int8, [](const auto& r) { return r.task.task_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.task.number; }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.task.file_name); }});
}

void TaskRows::take_counts(StatementQueue& out) {
  std::map<std::pair<ProjectId, TaskStatus>, std::int64_t> counts;
  std::map<std::tuple<UserId, ProjectId, TaskStatus>, std::int64_t> assigned;
  for (const Birth& birth : births_) {
    const auto status = birth.change.status.value_or(TaskStatus::pending);
    ++counts[{birth.project_id, status}];
    if (const auto& assignee = first_assignee(birth.change))
      ++assigned[{*assignee, birth.project_id, status}];
  }
  if (!counts.empty()) {
    Params p;
    add_column(p, PgType::int8, counts, [](const auto& r) { return r.first.first.value; });
    add_column(p, PgType::text, counts, [](const auto& r) { return word_of(r.first.second); });
    add_column(p, PgType::int8, counts, [](const auto& r) { return r.second; });
    out.add(kCountTasks, std::move(p));
  }
  std::map<ProjectId, std::int64_t> born;
  for (const Birth& birth : births_) ++born[birth.project_id];
  if (!born.empty()) {
    Params p;
    add_column(p, PgType::int8, born, [](const auto& r) { return r.first.value; });
    add_column(p, PgType::int8, born, [](const auto& r) { return r.second; });
    out.add(kCountUnclassified, std::move(p));
  }
  if (!assigned.empty()) {
    Params p;
    const auto& rows = assigned;
    add_column(p, PgType::int8, rows, [](const auto& r) { return std::get<0>(r.first).value; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return std::get<1>(r.first).value; });
    add_column(p, PgType::text, rows, [](const auto& r) { return word_of(std::get<2>(r.first)); });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.second; });
    out.add(kCountAssigned, std::move(p));
  }
  if (!dataset_tasks_.empty()) {
    Params p;
    add_column(p, PgType::int8, dataset_tasks_, [](const auto& r) { return r.first.first.value; });
    add_column(p, PgType::int8, dataset_tasks_, [](const auto& r) { return r.first.second.value; });
    add_column(p, PgType::int8, dataset_tasks_, [](const auto& r) { return r.second; });
    out.add(kCountDatasetTasks, std::move(p));
  }
}

void TaskRows::take_changes(StatementQueue& out) {
  if (changes_.empty()) return;
  Params p;
  const auto& rows = changes_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.id.value; });
  add_column(p, PgType::text, rows, [](const auto& r) { return words(r.status); });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.assignee; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.assignee_cleared; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.assignee_if_none; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reviewer; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.lock_changed; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.lock_user; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.lock_expires_at_ms; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.reason_changed; });
  add_column(p, PgType::text, rows, [](const auto& r) { return words(r.reason_type); });
  add_column(p, PgType::text, rows, [](const auto& r) { return r.reason; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.submitted_at_ms; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.skipped_at_ms; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reviewed_at_ms; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reopened; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.annotations; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.versions; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.updated_at_ms; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.image_width; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.image_height; });
  out.add(kChangeTasks, std::move(p));
}

}  // namespace annolog::projections
