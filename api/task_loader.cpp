#include "api/task_loader.hpp"

#include <unordered_map>

#include "api/read_refusals.hpp"
#include "projections/tasks/queries.hpp"

namespace annolog::api {

void TaskLoader::load(TaskId id, Done done) {
  {
    std::unique_lock guard(mutex_);
    if (waiting_.size() >= kWaitingMax) {
      guard.unlock();
      done(reads_overloaded());
      return;
    }
    waiting_.push_back({id, std::move(done)});
    if (runners_ >= kRunnersMax) return;
    ++runners_;
  }
  if (!threads_.try_post([this] { run(); })) refuse_unless_running();
}

// The pool took no runner: what waits is for the other one, or for nobody.
void TaskLoader::refuse_unless_running() {
  std::deque<Wanted> refused;
  {
    const std::lock_guard guard(mutex_);
    --runners_;
    if (runners_ > 0) return;
    refused.swap(waiting_);
  }
  for (auto& wanted : refused) wanted.done(reads_overloaded());
}

void TaskLoader::run() {
  for (;;) {
    auto wanted = take();
    if (wanted.empty()) return;
    answer(std::move(wanted));
  }
}

std::vector<TaskLoader::Wanted> TaskLoader::take() {
  const std::lock_guard guard(mutex_);
  const auto count = std::min(waiting_.size(), kBatchMax);
  std::vector<Wanted> taken(
      std::make_move_iterator(waiting_.begin()),
      std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  if (taken.empty()) --runners_;
  return taken;
}

void TaskLoader::answer(std::vector<Wanted> wanted) {
  std::vector<TaskId> ids;
  ids.reserve(wanted.size());
  for (const auto& one : wanted) ids.push_back(one.id);
  std::unordered_map<std::int64_t, TaskView> found;
  try {
    const projections::TaskQueries queries(reads_);
    for (auto& task : queries.find_many(ids, clock_.now())) {
      const auto id = task.id.value;
      found.emplace(id, std::move(task));
    }
  } catch (const std::exception&) {
    for (auto& one : wanted) one.done(reads_away());
    return;
  }
  for (auto& one : wanted) {
    const auto task = found.find(one.id.value);
    one.done(task == found.end() ? std::optional<TaskView>() : std::optional(task->second));
  }
}

}  // namespace annolog::api
