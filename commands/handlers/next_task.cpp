// tasks/next: which task the caller gets (decisions, section 5). The order is
//   1. a task the caller holds a live lock on; the lock is renewed;
//   2. the caller's own rejected, in_progress, then assigned tasks whose lock is free;
//   3. the oldest pending task that is unclassified.
// A rejected task keeps its status and reason until the first edit, so that its reader sees them.
// The single writer makes it race-free; each step reads an index, never a list of tasks.
#include <algorithm>

#include "commands/handlers/handlers.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog::commands {
namespace {

class NextTask {
 public:
  NextTask(const Handling& on, ProjectId project) : on_(on), project_(project) {}

  std::optional<TaskState> choose() {
    if (auto held = first(Key(Table::lock).id(project_).id(on_.context.actor), &NextTask::held)) {
      return held;
    }
    if (auto own =
            first(Key(Table::own_work).id(project_).id(on_.context.actor), &NextTask::free)) {
      return own;
    }
    if (const auto pending = on_.state.first_pending(project_)) return on_.state.task(*pending);
    return std::nullopt;
  }

  NoTask explain() const {
    const auto open = status_count(TaskStatus::assigned) + status_count(TaskStatus::in_progress) +
                      status_count(TaskStatus::rejected);
    if (open == 0) return {"all_done", 0};
    std::int64_t locked = 0;
    std::int64_t earliest_ms = 0;
    on_.state.each_task(Key(Table::lock).id(project_), [&](TaskId id) {
      const TaskState task = on_.state.task(id);
      const auto* lock = task.live_lock(on_.context.now);
      if (lock == nullptr || !workable(task)) return true;
      ++locked;
      earliest_ms =
          earliest_ms == 0 ? lock->expires_at.ms : std::min(earliest_ms, lock->expires_at.ms);
      return locked < kMaxLocksLookedAt;
    });
    if (locked < std::min<std::int64_t>(open, kMaxLocksLookedAt)) return {"none_assigned", 0};
    return {"all_locked", (earliest_ms - on_.context.now.ms + 999) / 1000};
  }

 private:
  static constexpr std::int64_t kMaxLocksLookedAt = 1000;

  static bool workable(const TaskState& task) {
    return task.status == TaskStatus::pending || task.status == TaskStatus::assigned ||
           task.status == TaskStatus::in_progress || task.status == TaskStatus::rejected;
  }
  bool held(const TaskState& task) const {
    const auto* lock = task.live_lock(on_.context.now);
    return lock != nullptr && lock->user_id == on_.context.actor && workable(task);
  }
  bool free(const TaskState& task) const { return task.live_lock(on_.context.now) == nullptr; }

  std::optional<TaskState> first(const Key& prefix,
                                 bool (NextTask::*suits)(const TaskState&) const) const {
    std::optional<TaskState> found;
    on_.state.each_task(prefix, [&](TaskId id) {
      TaskState task = on_.state.task(id);
      if ((this->*suits)(task)) found = std::move(task);
      return !found.has_value();
    });
    return found;
  }
  std::int64_t status_count(TaskStatus status) const {
    return on_.state.count(
        Key(Table::status_count).id(project_).byte(static_cast<std::uint8_t>(status)));
  }

  const Handling& on_;
  ProjectId project_;
};

}  // namespace

Result<Handled> handle(const Handling& on, const TakeNextTask& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(project->require_work(Action::annotate, on.context));
  if (command.batch_id) return not_found("batch");
  NextTask next(on, command.project_id);
  auto task = next.choose();
  if (!task) {
    const NoTask none = next.explain();
    return Handled{{}, {ReplyKind::no_task, {none.retry_after_s}, none.reason}};
  }
  const TaskId id = task->id;
  const TaskCase chosen{*project, std::move(*task), on.options.lock_ms};
  BOOST_OUTCOME_TRY(auto events, take(chosen, on.context));
  return Handled{std::move(events), {ReplyKind::task, {id.value}, {}}};
}

}  // namespace annolog::commands
