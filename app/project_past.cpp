#include "app/project_past.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace annolog::app {
namespace {

// Whom an event of the project reaches, beside the task that it names.
struct Reached {
  std::optional<BatchId> batch;  // all of its tasks
  const std::vector<TaskId>* tasks = nullptr;
};

Reached reached_by(const Event& event) {
  return std::visit(
      [](const auto& e) -> Reached {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<E, BatchTasksAdded> || std::is_same_v<E, BatchTasksRemoved>) {
          return {e.batch_id, &e.task_ids};
        } else if constexpr (std::is_same_v<E, BatchAssigned> || std::is_same_v<E, BatchReset> ||
                             std::is_same_v<E, BatchDeleted> || std::is_same_v<E, BatchCreated>) {
          return {e.batch_id, nullptr};
        } else if constexpr (std::is_same_v<E, TasksRemoved>) {
          return {std::nullopt, &e.task_ids};
        } else {
          return {};
        }
      },
      event);
}

}  // namespace

bool is_of_project(const Event& event, ProjectId project) {
  return std::visit(
      [&](const auto& e) {
        if constexpr (requires { e.project_id == project; }) {
          return e.project_id == project;
        } else {
          return false;
        }
      },
      event);
}

std::optional<TaskId> task_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<TaskId> {
        if constexpr (requires { TaskId{e.task_id}; }) {
          return e.task_id;
        } else {
          return std::nullopt;
        }
      },
      event);
}

void ProjectPast::mark(const ComparedMoment& from) {
  marked_ = true;
  from_ = from;
}

// The first touch behind the mark keeps what was there.
void ProjectPast::touch(TaskId id, const PastEvent& event) {
  Kept& kept = now_[id];
  if (marked_) before_.try_emplace(id, kept);
  evolve(kept.past, id, event);
  kept.last = event.how.at;
}

bool ProjectPast::add(const PastEvent& event) {
  if (!is_of_project(event.event, project_)) return false;
  name_classes(event);
  const Reached reached = reached_by(event.event);
  if (reached.batch) touch_batch(*reached.batch, event);
  if (const auto* born = std::get_if<TasksCreated>(&event.event)) {
    for (const NewTask& task : born->tasks) touch(task.task_id, event);
  } else if (const auto* removed = std::get_if<TasksRemoved>(&event.event)) {
    for (const TaskId id : removed->task_ids) {
      touch(id, event);
      now_[id] = {};
    }
  } else if (const auto task = task_of(event.event)) {
    touch(*task, event);
  }
  return true;
}

// Each of its tasks keeps the batch as it was told up to the task's own last event of it.
void ProjectPast::touch_batch(BatchId batch, const PastEvent& event) {
  auto& members = members_[batch];
  if (const auto* added = std::get_if<BatchTasksAdded>(&event.event)) {
    for (const TaskId id : added->task_ids) {
      if (marked_) before_.try_emplace(id, now_[id]);
      now_[id].past.batches[batch] = batches_.batches[batch];
      touch(id, event);
      members.insert(id);
    }
  } else if (const auto* removed = std::get_if<BatchTasksRemoved>(&event.event)) {
    for (const TaskId id : removed->task_ids) {
      touch(id, event);
      members.erase(id);
    }
  } else {
    for (const TaskId id : members) touch(id, event);
  }
  evolve(batches_, TaskId{}, event);
  if (std::holds_alternative<BatchDeleted>(event.event)) members_.erase(batch);
}

void ProjectPast::name_classes(const PastEvent& event) {
  const auto add = [&](ClassId id, const std::string& name) {
    namings_.push_back({id, event.position, event.how.at, name});
  };
  if (const auto* created = std::get_if<ProjectCreated>(&event.event)) {
    for (const auto& one : created->classes.live) add(one.id, one.name);
  } else if (const auto* replaced = std::get_if<ProjectClassesReplaced>(&event.event)) {
    for (const auto& one : replaced->classes.live) add(one.id, one.name);
  } else if (const auto* renamed = std::get_if<ProjectClassRenamed>(&event.event)) {
    add(renamed->class_id, renamed->new_name);
  }
}

std::map<TaskId, api::TaskDifference> ProjectPast::differences(const ComparedMoment& to) const {
  const projections::ClassNames classes(namings_);
  std::map<TaskId, api::TaskDifference> found;
  for (const auto& [id, before] : before_) {
    const Kept& now = now_.at(id);
    auto view =
        api::difference_view({before.past, from_.at.value_or(before.last), classes, from_.until},
                             {now.past, to.at.value_or(now.last), classes, to.until});
    const bool same = view.task.empty() && view.annotations.added.empty() &&
                      view.annotations.removed.empty() && view.annotations.changed.empty() &&
                      (view.from.version == 0) == (view.to.version == 0);
    if (!same) found.emplace(id, std::move(view));
  }
  return found;
}

}  // namespace annolog::app
