#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"
#include "domain/task/actors.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxTaskReason = 2000;

DomainError locked(const Lock& lock) {
  return conflict("TASK_LOCKED", "Another user holds the task.",
                  {{"locked_by", lock.user_id.value}, {"expires_at", to_rfc3339(lock.expires_at)}});
}

Result<void> require_free(const TaskCase& on, const Context& context) {
  const auto* lock = on.task.live_lock(context.now);
  if (lock != nullptr && lock->user_id != context.actor) return locked(*lock);
  return success();
}

// Every task command begins so: the task exists and is visible, the caller may act, the project
// is at work.
Result<void> enter(const TaskCase& on, Action action, const Context& context) {
  if (on.task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  return on.project.require_work(action, context);
}

// The same for work: its batch is at work too.
Result<void> enter_work(const TaskCase& on, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, Action::annotate, context));
  BOOST_OUTCOME_TRY(require_open(on.batch));
  return success();
}

// What may be said in a reason.
Result<void> check_reason(const std::optional<std::string>& reason) {
  if (!reason || character_count(*reason) <= kMaxTaskReason) return success();
  return validation_error({{{"reason"}, "At most 2000 characters.", "length"}});
}

DomainError assigned_elsewhere(UserId user) {
  return conflict("TASK_ASSIGNED", "The task is assigned to another user.",
                  {{"assignee_id", user.value}});
}

// There is such a step from where the task stands; and who may take it.
Result<TaskActor> step(const TaskState& task, TaskTrigger trigger) {
  const auto* row = find_step(task.status, trigger);
  if (row == nullptr) return impossible(task.status, trigger);
  return row->who;
}

// Nobody reviews their own submission, unless they own the project.
Result<void> require_other_reviewer(const TaskCase& on, const Context& context) {
  const bool own_work = on.task.submitted_by == context.actor;
  if (own_work && !on.project.standing(context).may(Action::own)) {
    return DomainError{DomainError::Kind::forbidden,
                       "SELF_REVIEW",
                       "You can't review your own submission.",
                       {{"required_role", "owner"}},
                       {},
                       0};
  }
  return success();
}

Result<Events> decide_review(const TaskCase& on, const Context& context, TaskTrigger trigger,
                             Event event) {
  BOOST_OUTCOME_TRY(enter(on, Action::review, context));
  if (on.batch && on.batch->batch.status == BatchStatus::archived) {
    return require_open(on.batch).error();
  }
  BOOST_OUTCOME_TRY(auto who, step(on.task, trigger));
  if (!may(on, who, context)) return forbidden(Action::review);
  BOOST_OUTCOME_TRY(require_other_reviewer(on, context));
  BOOST_OUTCOME_TRY(require_free(on, context));
  return Events{std::move(event)};
}

}  // namespace

Result<Events> take(const TaskCase& on, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  const auto& task = on.task;
  const auto* start = find_step(task.status, TaskTrigger::start);
  if (start != nullptr && !may(on, start->who, context)) {
    return assigned_elsewhere(task.assignee_id.value_or(UserId{}));
  }
  BOOST_OUTCOME_TRY(require_free(on, context));
  const Timestamp expires_at = context.now + on.lock_ms;
  const bool held = task.live_lock(context.now) != nullptr;
  if (held) return Events{TaskLockRenewed{task.project_id, task.id, context.actor, expires_at}};
  // Begun work of nobody becomes the caller's. What was rejected keeps its status and reason until
  // its reader takes it up (docs/decisions/0006).
  const bool nobodys = task.status == TaskStatus::in_progress && !task.assignee_id;
  if (nobodys || start != nullptr) {
    return Events{TaskTaken{task.project_id, task.id, context.actor, expires_at}};
  }
  return Events{TaskLocked{task.project_id, task.id, context.actor, expires_at}};
}

Result<Events> decide(const TaskCase& on, const LockTask&, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  const bool waits_for_review =
      on.task.status == TaskStatus::submitted || on.task.status == TaskStatus::review;
  const bool reviewer = on.project.standing(context).may(Action::review);
  if (on.task.status == TaskStatus::completed || (waits_for_review && !reviewer)) {
    return conflict("TASK_NOT_EDITABLE",
                    std::string("The caller has nothing to do in a task that is ") +
                        to_string(on.task.status) + ".",
                    {{"status", std::string(to_string(on.task.status))}});
  }
  // What is assigned is its assignee's, by the table. Pending work of a batch is its annotator's;
  // what was rejected belongs to who has it, as nobody else's edit takes it up again.
  const auto named = on.task.status == TaskStatus::pending && on.batch
                         ? on.batch->batch.annotator_id
                         : on.task.assignee_id;
  const bool named_work =
      on.task.status == TaskStatus::pending || on.task.status == TaskStatus::rejected;
  if (named_work && named && *named != context.actor && !reviewer)
    return assigned_elsewhere(*named);
  return take(on, context);
}

Result<Events> decide(const TaskCase& on, const UnlockTask&, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, Action::annotate, context));
  const auto* lock = on.task.live_lock(context.now);
  if (lock == nullptr) return Events{};
  const bool holder = lock->user_id == context.actor;
  if (!holder && !on.project.standing(context).may(Action::own)) return locked(*lock);
  return Events{TaskUnlocked{on.task.project_id, on.task.id, lock->user_id}};
}

Result<Events> decide(const TaskCase& on, const SkipTask& command, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  BOOST_OUTCOME_TRY(check_reason(command.reason));
  BOOST_OUTCOME_TRY(auto who, step(on.task, TaskTrigger::skip));
  BOOST_OUTCOME_TRY(require_free(on, context));
  // Who only holds the lock of another's work may not throw it back.
  if (!may(on, who, context)) {
    return assigned_elsewhere(on.task.assignee_id.value_or(UserId{}));
  }
  return Events{TaskSkipped{on.task.project_id, on.task.id, context.actor, command.reason}};
}

Result<Events> decide(const TaskCase& on, const SubmitForReview&, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  BOOST_OUTCOME_TRY(auto who, step(on.task, TaskTrigger::send_to_review));
  BOOST_OUTCOME_TRY(require_free(on, context));
  if (!may(on, who, context)) {
    return forbidden(std::string("reviewer, or being the assignee"));
  }
  Events events;
  if (on.task.status == TaskStatus::in_progress) {
    events.emplace_back(TaskSubmitted{on.task.project_id, on.task.id, context.actor});
  }
  events.emplace_back(TaskSentToReview{on.task.project_id, on.task.id});
  return events;
}

Result<Events> decide(const TaskCase& on, const ApproveTask&, const Context& context) {
  return decide_review(
      on, context, TaskTrigger::approve,
      TaskApproved{on.task.project_id, on.task.id, context.actor, on.task.assignee_id});
}

Result<Events> decide(const TaskCase& on, const RejectTask& command, const Context& context) {
  BOOST_OUTCOME_TRY(check_reason(command.reason));
  return decide_review(
      on, context, TaskTrigger::reject,
      TaskRejected{on.task.project_id, on.task.id, context.actor, on.task.assignee_id,
                   command.reason_type, command.reason, on.task.submitted_by});
}

Result<Events> decide(const TaskCase& on, const AcceptRejection&, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  BOOST_OUTCOME_TRY(auto who, step(on.task, TaskTrigger::accept_rejection));
  if (!may(on, who, context)) {
    return forbidden(std::string("assignee of the task, or owner"));
  }
  BOOST_OUTCOME_TRY(require_free(on, context));
  Events events{TaskRejectionAccepted{on.task.project_id, on.task.id}};
  if (!on.task.assignee_id && holds_lock(on, context)) {
    events.emplace_back(
        TaskTaken{on.task.project_id, on.task.id, context.actor, on.task.lock->expires_at});
  }
  return events;
}

Result<Events> decide(const TaskCase& on, const ReopenTask&, const Context& context) {
  BOOST_OUTCOME_TRY(enter_work(on, context));
  if (!may(on, actors_of(on.task.status, TaskTrigger::reopen), context)) {
    return forbidden(Action::review);
  }
  BOOST_OUTCOME_TRY(step(on.task, TaskTrigger::reopen));
  return Events{TaskReopened{on.task.project_id, on.task.id, on.task.reviewer_id}};
}

}  // namespace annolog
