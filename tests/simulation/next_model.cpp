// What tasks/next must offer (decisions, section 5; what is skipped comes last).
#include <algorithm>

#include "tests/simulation/model.hpp"

namespace annolog::testing {
namespace {

constexpr int kHeld = 1, kRejected = 2, kBegun = 3, kAssigned = 4, kNobodys = 5, kOfBatch = 6,
              kUnclassified = 7, kSkipped = 8, kNotHere = 99;

}  // namespace

std::string Model::may_take_next(const ModelUser& user, std::size_t batch) const {
  if (archived && user.rank >= 1) return "PROJECT_ARCHIVED";  // annotators are told, too
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (batch == kNoBatch) return "ok";
  const auto& named = batches[batch];
  if (named.gone) return "NOT_FOUND";
  if (!open_batch(named.status)) return "BATCH_NOT_OPEN";
  return named.annotator == 0 || named.annotator == user.id ? "ok" : "FORBIDDEN";
}

int Model::turn(const ModelUser& user, std::size_t scope, const ModelTask& task) const {
  if (task.gone || !open_work(task.status) || !at_work(task)) return kNotHere;
  if (scope != kNoBatch && task.batch != scope) return kNotHere;
  if (live(task)) return task.lock->user == user.id ? kHeld : kNotHere;
  const bool own = task.assignee == user.id;
  // Begun work that a change of people left to nobody is offered where pending work is.
  const bool begun = task.status == "rejected" || task.status == "in_progress";
  const bool nobodys = begun && task.assignee == 0;
  if (begun && !nobodys && !own) return kNotHere;
  if (begun && own) return task.status == "rejected" ? kRejected : kBegun;
  if (task.status == "assigned") return own ? kAssigned : kNotHere;
  if (scope == kNoBatch && task.batch != kNoBatch) {
    const auto& batch = batches[task.batch];
    if (batch.annotator != user.id || batch.status == "reviewing") return kNotHere;
  }
  if (nobodys) return task.batch == kNoBatch ? kUnclassified : kNobodys;
  if (task.skipped) return kSkipped;
  return task.batch == kNoBatch ? kUnclassified : kOfBatch;
}

std::set<std::size_t> Model::offered(const ModelUser& user, std::size_t batch) const {
  // The mark of a skip may outlive a change of the annotator: such a task, assigned again, may
  // come as assigned or as skipped, so it doesn't hinder what comes in between.
  int first = kNotHere;
  for (const auto& task : tasks) {
    const int at = turn(user, batch, task);
    first = std::min(first, at == kAssigned && task.skipped ? kSkipped : at);
  }
  std::set<std::size_t> found;
  std::set<int> begun_turns;  // of new work the oldest, in batches and then of that in none
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const int at = turn(user, batch, tasks[i]);
    if (at == kNotHere || at > first) continue;
    const bool ordered = at == kOfBatch || at == kUnclassified;
    if (ordered && !begun_turns.insert(at).second) continue;
    found.insert(i);
  }
  return found;
}

std::string Model::why_none(std::size_t batch) const {
  std::size_t open = 0, locked = 0;
  for (const auto& task : tasks) {
    if (task.gone || !open_work(task.status) || (batch != kNoBatch && task.batch != batch))
      continue;
    ++open;
    locked += live(task) ? 1U : 0U;
  }
  return open == 0 ? "all_done" : locked == open ? "all_locked" : "none_assigned";
}

void Model::take_next(const ModelUser& user, std::size_t task) {
  if (tasks[task].batch != kNoBatch) ++happened["next in a batch"];
  if (tasks[task].skipped && tasks[task].status == "pending") ++happened["next of skipped"];
  take(user, tasks[task]);
  begin(tasks[task]);
}

}  // namespace annolog::testing
