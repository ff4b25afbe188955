// tasks/next: which task the caller gets (decisions, section 5). The order is
//   1. a task the caller holds a live lock on; the lock is renewed;
//   2. the caller's own rejected, in_progress, then assigned tasks whose lock is free;
//   3. begun work that a batch's change of people left to nobody, then the oldest pending task, of
//      the batch or of an open batch that names the caller; then of the unclassified ones; skipped
//      ones after all others.
// A rejected task keeps its status and reason until the first edit, so that its reader sees them.
// The single writer makes it race-free; each step reads an index, never a list of tasks. Batches
// where no work happens or none is left are in no index that is read here.
#include "commands/handlers/handlers.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog::commands {
namespace {

// The turns at which work is offered, in their order.
enum class Turn { rejected, begun, assigned, nobodys, pending, skipped };
constexpr std::array kTurns{Turn::rejected, Turn::begun,   Turn::assigned,
                            Turn::nobodys,  Turn::pending, Turn::skipped};

// A batch whose work may be the caller's, and what stands there.
struct Source {
  std::shared_ptr<const BatchState> batch;
  BatchProgress progress;
};

class NextTask {
 public:
  NextTask(const Handling& on, ProjectId project, std::optional<BatchId> batch)
      : on_(on), project_(project), batch_(batch) {}

  std::optional<TaskState> choose() {
    if (auto held = first(Key(Table::lock).id(project_).id(on_.context.actor), &NextTask::held)) {
      return held;
    }
    auto own = own_work();
    if (own && turn_of(*own) == Turn::rejected) return own;
    const auto sources = scope();
    for (const auto turn : kTurns) {
      if (own && turn_of(*own) <= turn) return own;
      // Skipped ones come after what is unclassified and was not.
      if (turn == Turn::skipped) {
        if (auto fresh = unclassified(); fresh && !is_skipped(*fresh)) return fresh;
      }
      if (auto found = of_batches(sources, turn)) return found;
    }
    return unclassified();
  }

  NoTask explain() const {
    const auto open = open_tasks();
    if (open == 0) return {"all_done", 0};
    const auto ends_at = batch_ ? all_held_in_batch() : all_held_in_project(open);
    if (!ends_at) return {"none_assigned", 0};
    return {"all_locked", (ends_at->ms - on_.context.now.ms + 999) / 1000};
  }

 private:
  // Somebody holds each of them. More open tasks than that are never called all locked.
  static constexpr std::size_t kMaxLocksLookedAt = 20'000;

  // When the first lock ends of those that hold all open tasks of the batch; nothing when one of
  // them is free, which the first free one tells. A batch's tasks are kMaxBatchTasks at most.
  std::optional<Timestamp> all_held_in_batch() const {
    std::optional<Timestamp> first;
    bool all = true;
    for (const auto rank :
         {WorkRank::rejected, WorkRank::in_progress, WorkRank::waiting, WorkRank::skipped}) {
      if (!all) break;
      on_.state.each_of_queue(work_of(*batch_, rank), [&](std::string_view key) {
        all = is_held(on_.state.task(TaskId{last_number(key)}), first);
        return all;
      });
    }
    return all ? first : std::nullopt;
  }

  // The same of the project, by its locks: live ones, and a few that are over but for the cleaner.
  // No task is loaded where they can't be enough.
  std::optional<Timestamp> all_held_in_project(std::int64_t open) const {
    std::vector<TaskId> locked;
    on_.state.each_task(Key(Table::lock).id(project_), [&](TaskId id) {
      locked.push_back(id);
      return locked.size() < kMaxLocksLookedAt;
    });
    auto left = open;
    std::optional<Timestamp> first;
    if (static_cast<std::int64_t>(locked.size()) < open) return first;
    for (const TaskId id : locked) {
      const TaskState task = on_.state.task(id);
      if (is_open(task.status) && is_held(task, first)) --left;
    }
    return left == 0 ? first : std::nullopt;
  }

  // Whether somebody holds the task; `first`: when the first lock ends of those met so far.
  bool is_held(const TaskState& task, std::optional<Timestamp>& first) const {
    const auto* lock = task.live_lock(on_.context.now);
    if (lock == nullptr) return false;
    if (!first || lock->expires_at < *first) first = lock->expires_at;
    return true;
  }

  static Turn turn_of(const TaskState& task) {
    if (task.status == TaskStatus::rejected) return Turn::rejected;
    return task.status == TaskStatus::in_progress ? Turn::begun : Turn::assigned;
  }
  static bool is_skipped(const TaskState& task) {
    return task.status == TaskStatus::pending && task.skipped_at;
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
  // Work of nobody in a batch in review is offered by its name only.
  bool offers_nobodys(const Source& source) const {
    return batch_ || source.batch->status != BatchStatus::reviewing;
  }

  // The batches whose work is the caller's, of which some is left.
  std::vector<Source> scope() const {
    if (batch_) return {{on_.state.batch(*batch_), on_.state.progress(*batch_)}};
    std::vector<Source> sources;
    for (const auto id :
         on_.state.last_numbers(Key(Table::open_batch).id(project_).id(on_.context.actor))) {
      sources.push_back({on_.state.batch(BatchId{id}), on_.state.progress(BatchId{id})});
    }
    return sources;
  }

  // What names the caller, and work of no batch that is assigned to them: the first by turn.
  std::optional<TaskState> own_work() const {
    if (batch_) {
      if (auto found = own_in(*batch_, WorkRank::rejected)) return found;
      return own_in(*batch_, WorkRank::in_progress);
    }
    auto loose =
        first(Key(Table::own_work).id(project_).id(on_.context.actor), &NextTask::own_free);
    if (loose && turn_of(*loose) == Turn::rejected) return loose;
    std::optional<TaskState> found;
    on_.state.each_own_batch(project_, on_.context.actor, [&](WorkRank rank, BatchId batch) {
      if (loose && turn_of(*loose) == Turn::begun && rank != WorkRank::rejected) return false;
      found = own_in(batch, rank);
      return !found.has_value();
    });
    return found ? found : loose;
  }

  std::optional<TaskState> own_in(BatchId id, WorkRank rank) const {
    const auto user = on_.context.actor;
    const std::string from = batch_own_of(*on_.state.batch(id), user, rank).take();
    std::optional<TaskState> found;
    on_.state.each_of_queue(
        batch_own_of(id, user, rank),
        [&](std::string_view key) {
          TaskState task = on_.state.task(TaskId{last_number(key)});
          if (own_free(task)) found = std::move(task);
          return !found.has_value();
        },
        from);
    return found;
  }

  // Assigned work lies among the pending work of its batch, of which there is some beside it after
  // a reset only: then what is pending before it is passed over, a batch's at most.
  bool is_at_turn(const TaskState& task, Turn turn) const {
    if (turn == Turn::assigned) return task.status == TaskStatus::assigned;
    return turn != Turn::pending || task.status == TaskStatus::pending;
  }

  // Of new work the oldest of all (decisions, section 5), else what the first batch has.
  std::optional<TaskState> of_batches(const std::vector<Source>& sources, Turn turn) const {
    std::optional<TaskState> oldest;
    for (const auto& source : sources) {
      auto found = of_batch(source, turn);
      if (found && turn != Turn::pending) return found;
      if (found && (!oldest || found->id < oldest->id)) oldest = std::move(found);
    }
    return oldest;
  }

  std::optional<TaskState> of_batch(const Source& source, Turn turn) const {
    const auto& left = source.progress;
    switch (turn) {
      case Turn::rejected: return handed_over(source, WorkRank::rejected, on_.context.actor);
      case Turn::begun: return handed_over(source, WorkRank::in_progress, on_.context.actor);
      case Turn::nobodys: return nobodys(source);
      case Turn::assigned:
        if (left.assigned == 0) return std::nullopt;
        return waiting(source, WorkRank::waiting, turn);
      case Turn::pending:
        if (left.pending == 0 || !offers_nobodys(source)) return std::nullopt;
        return waiting(source, WorkRank::waiting, turn);
      case Turn::skipped: break;
    }
    if (left.assigned == 0 && (left.pending == 0 || !offers_nobodys(source))) return std::nullopt;
    return waiting(source, WorkRank::skipped, turn);
  }

  std::optional<TaskState> nobodys(const Source& source) const {
    if (!offers_nobodys(source)) return std::nullopt;
    if (auto found = handed_over(source, WorkRank::rejected, std::nullopt)) return found;
    return handed_over(source, WorkRank::in_progress, std::nullopt);
  }

  // Begun work that the batch's people left to `whom`. What its rows name since comes behind, and
  // is among the caller's own where it is theirs.
  std::optional<TaskState> handed_over(const Source& source, WorkRank rank,
                                       std::optional<UserId> whom) const {
    const auto& left = source.progress;
    if ((rank == WorkRank::rejected ? left.rejected : left.in_progress) == 0) return std::nullopt;
    if (whom && source.batch->annotator_id != whom) return std::nullopt;
    std::optional<TaskState> found;
    on_.state.each_of_queue(work_of(source.batch->id, rank), [&](std::string_view key) {
      if (work_group(key) > source.batch->annotator_change) return false;
      TaskState task = on_.state.task(TaskId{last_number(key)});
      if (free(task) && task.assignee_id == whom) found = std::move(task);
      return !found.has_value();
    });
    return found;
  }

  std::optional<TaskState> waiting(const Source& source, WorkRank rank, Turn turn) const {
    std::optional<TaskState> found;
    on_.state.each_of_queue(work_of(source.batch->id, rank), [&](std::string_view key) {
      TaskState task = on_.state.task(TaskId{last_number(key)});
      const bool theirs = task.status == TaskStatus::pending
                              ? offers_nobodys(source)
                              : task.assignee_id == on_.context.actor;
      if (free(task) && theirs && is_at_turn(task, turn)) found = std::move(task);
      return !found.has_value();
    });
    return found;
  }

  // Held ones are passed over: rejected work of nobody that somebody reads.
  std::optional<TaskState> unclassified() const {
    if (batch_) return std::nullopt;
    std::optional<TaskState> found;
    on_.state.each_of_queue(Key(Table::pending_queue).id(project_), [&](std::string_view key) {
      TaskState task = on_.state.task(TaskId{last_number(key)});
      if (free(task)) found = std::move(task);
      return !found.has_value();
    });
    return found;
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
  // Said here also to annotators, who don't see the project any more (decisions, section 5).
  if (project->status == ProjectStatus::archived &&
      project->standing(on.context).may(Action::annotate)) {
    return project_archived();
  }
  BOOST_OUTCOME_TRY(project->require_work(Action::annotate, on.context));
  BOOST_OUTCOME_TRY(auto batch, named_batch(on, command));
  NextTask next(on, command.project_id, batch);
  const auto task = next.choose();
  if (!task) return Handled{{}, {}, Reply{next.explain()}};
  const LoadedCase chosen = load_case(on, task->id);
  BOOST_OUTCOME_TRY(auto events, take(chosen.on, on.context));
  if (chosen.on.batch) follow_work(*chosen.on.batch, chosen.on.task, events);
  return Handled{std::move(events), {ReplyKind::task, {task->id.value}, {}}};
}

}  // namespace annolog::commands
