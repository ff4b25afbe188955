// tasks/next: which task the caller gets (decisions, section 5). The order is
//   1. a task the caller holds a live lock on; the lock is renewed;
//   2. the caller's own rejected, in_progress, then assigned tasks whose lock is free;
//   3. the oldest pending task of the batch, or of an open batch that names the caller, then of the
//      unclassified ones; skipped ones after all others.
// A rejected task keeps its status and reason until the first edit, so that its reader sees them.
// The single writer makes it race-free; each step reads an index, never a list of tasks.
#include <algorithm>

#include "commands/handlers/handlers.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog::commands {
namespace {

// The turns at which work is offered, in their order.
enum class Turn { rejected, begun, assigned, pending, skipped };
constexpr std::array kTurns{Turn::rejected, Turn::begun, Turn::assigned, Turn::pending,
                            Turn::skipped};

class NextTask {
 public:
  NextTask(const Handling& on, ProjectId project, std::optional<BatchId> batch)
      : on_(on), project_(project), batch_(batch) {}

  std::optional<TaskState> choose() {
    if (auto held = first(Key(Table::lock).id(project_).id(on_.context.actor), &NextTask::held)) {
      return held;
    }
    auto own = first(Key(Table::own_work).id(project_).id(on_.context.actor), &NextTask::own_free);
    const auto batches = scope();
    for (const auto turn : kTurns) {
      if (own && turn_of(*own) <= turn) return own;
      // Skipped ones come after what is unclassified and was not.
      if (turn == Turn::skipped) {
        if (auto fresh = unclassified(); fresh && !fresh->skipped_at) return fresh;
      }
      for (const auto batch : batches) {
        if (auto found = of_batch(batch, turn)) return found;
      }
    }
    return unclassified();
  }

  NoTask explain() const {
    const auto open = open_tasks();
    if (open == 0) return {"all_done", 0};
    std::int64_t locked = 0;
    std::int64_t earliest_ms = 0;
    std::int64_t looked_at = 0;
    on_.state.each_task(Key(Table::lock).id(project_), [&](TaskId id) {
      if (++looked_at > kMaxLocksLookedAt) return false;  // many may have expired
      const TaskState task = on_.state.task(id);
      const auto* lock = task.live_lock(on_.context.now);
      if (lock == nullptr || !is_open(task.status) || !in_scope(task)) return true;
      ++locked;
      earliest_ms =
          earliest_ms == 0 ? lock->expires_at.ms : std::min(earliest_ms, lock->expires_at.ms);
      return true;
    });
    if (locked < std::min<std::int64_t>(open, kMaxLocksLookedAt)) return {"none_assigned", 0};
    return {"all_locked", (earliest_ms - on_.context.now.ms + 999) / 1000};
  }

 private:
  static constexpr std::int64_t kMaxLocksLookedAt = 1000;

  static Turn turn_of(const TaskState& task) {
    if (task.status == TaskStatus::rejected) return Turn::rejected;
    return task.status == TaskStatus::in_progress ? Turn::begun : Turn::assigned;
  }
  static WorkRank rank_of(Turn turn) {
    switch (turn) {
      case Turn::rejected: return WorkRank::rejected;
      case Turn::begun: return WorkRank::in_progress;
      case Turn::assigned:
      case Turn::pending: return WorkRank::waiting;
      case Turn::skipped: break;
    }
    return WorkRank::skipped;
  }
  bool in_scope(const TaskState& task) const { return !batch_ || task.batch_id == batch_; }
  bool at_work(const TaskState& task) const {
    return in_scope(task) && is_open(task.status) &&
           (!task.batch_id || is_open(on_.state.batch(*task.batch_id)->status));
  }
  bool held(const TaskState& task) const {
    const auto* lock = task.live_lock(on_.context.now);
    return lock != nullptr && lock->user_id == on_.context.actor && at_work(task);
  }
  bool free(const TaskState& task) const { return task.live_lock(on_.context.now) == nullptr; }
  bool own_free(const TaskState& task) const {
    return free(task) && task.assignee_id == on_.context.actor && at_work(task);
  }
  // Begun work is another's unless it names the caller.
  bool free_in_batch(const TaskState& task) const {
    if (!free(task)) return false;
    if (task.status != TaskStatus::pending) return task.assignee_id == on_.context.actor;
    // Of a batch in review, by its name only.
    return batch_ || on_.state.batch(*task.batch_id)->status != BatchStatus::reviewing;
  }

  // The batches whose work is the caller's.
  std::vector<BatchId> scope() const {
    if (batch_) return {*batch_};
    std::vector<BatchId> batches;
    for (const auto id :
         on_.state.last_numbers(Key(Table::open_batch).id(project_).id(on_.context.actor))) {
      batches.emplace_back(id);
    }
    return batches;
  }

  // Assigned work lies among the pending work of its batch, of which there is some beside it after
  // a reset only: then what is pending before it is passed over, a batch's at most.
  bool is_at_turn(const TaskState& task, Turn turn) const {
    if (turn == Turn::assigned) return task.status == TaskStatus::assigned;
    return turn != Turn::pending || task.status == TaskStatus::pending;
  }

  std::optional<TaskState> of_batch(BatchId batch, Turn turn) const {
    const bool begun = turn == Turn::rejected || turn == Turn::begun;
    // Without an annotator, whoever began work is its assignee by name: own_work has it.
    if (begun && on_.state.batch(batch)->annotator_id != on_.context.actor) return std::nullopt;
    const auto progress = on_.state.progress(batch);
    if (turn == Turn::assigned && progress.assigned == 0) return std::nullopt;
    if (turn == Turn::pending && progress.pending == 0) return std::nullopt;
    std::optional<TaskState> found;
    on_.state.each_of_queue(work_of(batch, rank_of(turn)), [&](std::string_view key) {
      TaskState task = on_.state.task(TaskId{last_number(key)});
      if (is_at_turn(task, turn) && free_in_batch(task)) found = std::move(task);
      return !found.has_value();
    });
    return found;
  }

  std::optional<TaskState> unclassified() const {
    if (batch_) return std::nullopt;
    const auto pending = on_.state.first_pending(project_);
    if (!pending) return std::nullopt;
    return on_.state.task(*pending);
  }

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

  std::int64_t open_tasks() const {
    if (batch_) return on_.state.progress(*batch_).open();
    std::int64_t open = 0;
    for (const auto status : {TaskStatus::pending, TaskStatus::assigned, TaskStatus::in_progress,
                              TaskStatus::rejected}) {
      open += on_.state.count(
          Key(Table::status_count).id(project_).byte(static_cast<std::uint8_t>(status)));
    }
    return open;
  }

  const Handling& on_;
  ProjectId project_;
  std::optional<BatchId> batch_;
};

// The batch that the command names: there, at work, and nobody else's.
Result<std::optional<BatchId>> named_batch(const Handling& on, const TakeNextTask& command) {
  if (!command.batch) return std::optional<BatchId>();
  const auto batch = on.state.batch(command.project_id, *command.batch);
  if (batch->version == 0) return not_found("batch");
  BOOST_OUTCOME_TRY(require_open(*batch));
  if (batch->annotator_id && *batch->annotator_id != on.context.actor) {
    return forbidden(std::string("annotator of the batch"));
  }
  return std::optional(batch->id);
}

}  // namespace

Result<Handled> handle(const Handling& on, const TakeNextTask& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(project->require_work(Action::annotate, on.context));
  BOOST_OUTCOME_TRY(auto batch, named_batch(on, command));
  NextTask next(on, command.project_id, batch);
  const auto task = next.choose();
  if (!task) {
    const NoTask none = next.explain();
    return Handled{{}, {ReplyKind::no_task, {none.retry_after_s}, none.reason}};
  }
  const LoadedCase chosen = load_case(on, task->id);
  BOOST_OUTCOME_TRY(auto events, take(chosen.on, on.context));
  if (chosen.on.batch) follow_work(*chosen.on.batch, chosen.on.task, events);
  return Handled{std::move(events), {ReplyKind::task, {task->id.value}, {}}};
}

}  // namespace annolog::commands
