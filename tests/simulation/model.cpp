#include "tests/simulation/model.hpp"

#include <algorithm>

namespace annolog::testing {
namespace {

bool open_work(const std::string& status) {
  return status == "pending" || status == "assigned" || status == "in_progress" ||
         status == "rejected";
}

}  // namespace

void Model::take(const ModelUser& user, ModelTask& task) const {
  if (task.status == "pending") {
    task.status = "in_progress";
    task.assignee = user.id;
  }
  task.lock = ModelLock{user.id, now_ms + lock_ms};
}

int Model::own_work(const ModelUser& user, const std::string& status) const {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& task = tasks[i];
    if (task.status == status && task.assignee == user.id && !live(task)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int Model::next(const ModelUser& user, std::string& why) {
  if (user.rank < 1) {
    why = "FORBIDDEN";
    return -1;
  }
  int chosen = -1;
  for (std::size_t i = 0; i < tasks.size() && chosen < 0; ++i) {
    const auto& task = tasks[i];
    if (live(task) && task.lock->user == user.id && open_work(task.status)) {
      chosen = static_cast<int>(i);
    }
  }
  if (chosen < 0) chosen = own_work(user, "rejected");
  if (chosen < 0) chosen = own_work(user, "in_progress");
  for (std::size_t i = 0; i < tasks.size() && chosen < 0; ++i) {
    if (tasks[i].status == "pending") chosen = static_cast<int>(i);
  }
  if (chosen >= 0) {
    take(user, tasks[static_cast<std::size_t>(chosen)]);
    return chosen;
  }
  std::size_t open = 0, locked = 0;
  for (const auto& task : tasks) {
    if (!open_work(task.status)) continue;
    ++open;
    locked += live(task) ? 1 : 0;
  }
  why = open == 0 ? "all_done" : locked == open ? "all_locked" : "none_assigned";
  return -1;
}

std::string Model::lock(const ModelUser& user, ModelTask& task) {
  if (user.rank < 1) return "FORBIDDEN";
  const bool waits = task.status == "submitted" || task.status == "review";
  if (task.status == "completed" || (waits && user.rank < 2)) return "TASK_NOT_EDITABLE";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  take(user, task);
  return "ok";
}

std::string Model::unlock(const ModelUser& user, ModelTask& task) {
  if (user.rank < 1) return "FORBIDDEN";
  if (!live(task)) return "ok";
  if (task.lock->user != user.id && user.rank < 4) return "TASK_LOCKED";
  task.lock.reset();
  return "ok";
}

std::string Model::may_edit(const ModelUser& user, const ModelTask& task) const {
  if (user.rank < 1) return "FORBIDDEN";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  const bool own = task.assignee == user.id;
  if (task.status == "in_progress") {
    return own || live(task) || user.rank >= 2 ? "ok" : "TASK_NOT_HELD";
  }
  if (task.status == "rejected" && own) return "ok";
  const bool waits = task.status == "submitted" || task.status == "review";
  return waits && user.rank >= 2 ? "ok" : "TASK_NOT_EDITABLE";
}

std::string Model::annotate(const ModelUser& user, ModelTask& task, int shapes, bool submit) {
  const auto verdict = may_edit(user, task);
  if (verdict != "ok" || (shapes == 0 && !submit)) return verdict;
  const bool waits = task.status == "submitted" || task.status == "review";
  task.annotations += shapes;
  if (task.status == "rejected") task.status = "in_progress";
  if (!submit || waits) return "ok";
  task.status = review_required ? "review" : "submitted";
  task.submitted_by = user.id;
  if (task.assignee == 0) task.assignee = user.id;
  task.lock.reset();
  return "ok";
}

std::string Model::remove_one(const ModelUser& user, ModelTask& task) {
  const auto verdict = may_edit(user, task);
  if (verdict != "ok") return verdict;
  --task.annotations;
  if (task.status == "rejected") task.status = "in_progress";
  return "ok";
}

std::string Model::restore_one(const ModelUser& user, ModelTask& task) {
  const auto verdict = may_edit(user, task);
  if (verdict != "ok") return verdict;
  ++task.annotations;
  if (task.status == "rejected") task.status = "in_progress";
  return "ok";
}

std::string Model::review(const ModelUser& user, ModelTask& task, bool approve) {
  if (user.rank < 2) return "FORBIDDEN";
  if (task.status != "submitted" && task.status != "review") return "INVALID_TRANSITION";
  if (task.submitted_by == user.id && user.rank < 4) return "SELF_REVIEW";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  task.status = approve ? "completed" : "rejected";
  task.lock.reset();
  return "ok";
}

std::string Model::send_to_review(const ModelUser& user, ModelTask& task) {
  if (user.rank < 1) return "FORBIDDEN";
  if (task.status != "in_progress" && task.status != "submitted") return "INVALID_TRANSITION";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  if (task.assignee != user.id && user.rank < 2) return "FORBIDDEN";
  if (task.status == "in_progress") {
    task.submitted_by = user.id;
    task.lock.reset();
  }
  task.status = "review";
  return "ok";
}

std::string Model::accept(const ModelUser& user, ModelTask& task) {
  if (user.rank < 1) return "FORBIDDEN";
  if (task.status != "rejected") return "INVALID_TRANSITION";
  if (task.assignee != user.id && user.rank < 4) return "FORBIDDEN";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  task.status = "in_progress";
  return "ok";
}

std::string Model::reopen(const ModelUser& user, ModelTask& task) {
  if (user.rank < 1) return "FORBIDDEN";
  if (task.assignee != user.id && user.rank < 2) return "FORBIDDEN";
  if (task.status != "completed") return "INVALID_TRANSITION";
  task.status = "in_progress";
  ++task.reopened;
  return "ok";
}

}  // namespace annolog::testing
