#include "tests/simulation/model.hpp"

#include <algorithm>

namespace annolog::testing {

bool open_work(const std::string& status) {
  return status == "pending" || status == "assigned" || status == "in_progress" ||
         status == "rejected";
}

// Work happens in a batch while it stands there (decisions, section 5: the others answer 409).
bool open_batch(const std::string& status) {
  return status == "active" || status == "annotating" || status == "reviewing";
}

std::string Model::allows(const ModelUser& user, int least) const {
  if (user.rank == ModelUser::kStranger || (archived && user.rank < 2)) return "NOT_FOUND";
  return user.rank < least ? "FORBIDDEN" : "ok";
}

std::string Model::admits(const ModelUser& user, int least) const {
  const auto verdict = allows(user, least);
  return verdict == "ok" && archived ? "PROJECT_ARCHIVED" : verdict;
}

std::string Model::admits(const ModelUser& user, int least, const ModelBatch& batch) const {
  const auto verdict = allows(user, least);
  return verdict == "ok" && batch.gone ? "NOT_FOUND" : admits(user, least);
}

bool Model::at_work(const ModelTask& task) const {
  return task.batch == kNoBatch || open_batch(batches[task.batch].status);
}

std::int64_t Model::open_tasks(std::size_t batch) const {
  return std::count_if(tasks.begin(), tasks.end(), [&](const ModelTask& task) {
    return task.batch == batch && open_work(task.status);
  });
}

// The first work begins the batch.
void Model::begin(const ModelTask& task) {
  if (task.batch == kNoBatch) return;
  if (batches[task.batch].status == "active") {
    batches[task.batch].status = "annotating";
    ++happened["begun by work"];
  }
  end(task);
}

// After work no task is open: the batch goes to its reviewer.
void Model::end(const ModelTask& task) {
  if (task.batch != kNoBatch && went_to_review(task.batch)) ++happened["ended by work"];
}

bool Model::went_to_review(std::size_t batch) {
  if (batches[batch].status != "annotating" || open_tasks(batch) > 0) return false;
  batches[batch].status = "reviewing";
  return true;
}

void Model::take(const ModelUser& user, ModelTask& task) const {
  const bool nobodys = task.status == "in_progress" && task.assignee == 0;
  if (!live(task) && (nobodys || task.status == "pending" || task.status == "assigned")) {
    task.status = "in_progress";
    task.assignee = user.id;
  }
  task.lock = ModelLock{user.id, now_ms + lock_ms};
}

namespace {

// Begun work of nobody is its holder's; the calls have refused who meets another's lock.
bool has(const ModelUser& user, const ModelTask& task, bool held) {
  return task.assignee == user.id || (task.assignee == 0 && held);
}

}  // namespace

std::string Model::lock(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  const bool waits = task.status == "submitted" || task.status == "review";
  if (task.status == "completed" || (waits && user.rank < 2)) return "TASK_NOT_EDITABLE";
  // Work not begun belongs to whom it is assigned, or to the annotator of its batch; what was
  // rejected to its assignee.
  const bool has_name = task.status == "assigned" || task.status == "rejected";
  std::int64_t named = has_name ? task.assignee : 0;
  if (task.status == "pending" && task.batch != kNoBatch) named = batches[task.batch].annotator;
  // A reviewer may look into all but work that another has before them.
  const bool bars = user.rank < 2 || task.status == "assigned";
  if (named != 0 && named != user.id && bars) return "TASK_ASSIGNED";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  take(user, task);
  begin(task);
  return "ok";
}

std::string Model::unlock(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!live(task)) return "ok";
  if (task.lock->user != user.id && user.rank < 4) return "TASK_LOCKED";
  task.lock.reset();
  return "ok";
}

std::string Model::may_edit(const ModelUser& user, const ModelTask& task) const {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  const bool own = task.assignee == user.id;
  if (task.status == "in_progress") {
    return own || live(task) || user.rank >= 2 ? "ok" : "TASK_NOT_HELD";
  }
  if (task.status == "rejected" && has(user, task, live(task))) return "ok";
  const bool waits = task.status == "submitted" || task.status == "review";
  return waits && user.rank >= 2 ? "ok" : "TASK_NOT_EDITABLE";
}

std::string Model::skip(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  if (task.status != "assigned" && task.status != "in_progress" && task.status != "rejected") {
    return "INVALID_TRANSITION";
  }
  if (held_by_other(user, task)) return "TASK_LOCKED";
  if (!has(user, task, live(task)) && user.rank < 2) return "TASK_ASSIGNED";
  task.status = "pending";
  task.assignee = 0;
  task.skipped = true;
  task.lock.reset();
  return "ok";
}

std::string Model::review(const ModelUser& user, ModelTask& task, bool approve) {
  if (const auto why = admits(user, 2); why != "ok") return why;
  if (task.batch != kNoBatch && batches[task.batch].status == "archived") return "BATCH_NOT_OPEN";
  if (task.status != "submitted" && task.status != "review") return "INVALID_TRANSITION";
  if (task.submitted_by == user.id && user.rank < 4) return "SELF_REVIEW";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  task.status = approve ? "completed" : "rejected";
  task.reviewer = user.id;
  task.lock.reset();
  return "ok";
}

std::string Model::send_to_review(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  if (task.status != "in_progress" && task.status != "submitted") return "INVALID_TRANSITION";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  if (!has(user, task, live(task)) && user.rank < 2) return "FORBIDDEN";
  if (task.status == "in_progress") {
    task.submitted_by = user.id;
    task.skipped = false;
    if (task.assignee == 0) task.assignee = user.id;
    task.lock.reset();
    task.status = "review";
    begin(task);
    end(task);
  }
  task.status = "review";
  return "ok";
}

std::string Model::accept(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  if (task.status != "rejected") return "INVALID_TRANSITION";
  const bool held = live(task) && task.lock->user == user.id;
  if (!has(user, task, held) && user.rank < 4) return "FORBIDDEN";
  if (held_by_other(user, task)) return "TASK_LOCKED";
  task.status = "in_progress";
  if (task.assignee != 0 || !held) return "ok";
  task.assignee = user.id;
  begin(task);
  return "ok";
}

std::string Model::reopen(const ModelUser& user, ModelTask& task) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!at_work(task)) return "BATCH_NOT_OPEN";
  if (task.assignee != user.id && user.rank < 2) return "FORBIDDEN";
  if (task.status != "completed") return "INVALID_TRANSITION";
  task.status = "in_progress";
  ++task.reopened;
  return "ok";
}

}  // namespace annolog::testing
