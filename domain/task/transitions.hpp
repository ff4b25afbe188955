// The task's transition table (spec, "States and transitions", Task; decisions, section 5).
#pragma once

#include <array>
#include <optional>

#include <boost/describe/enum.hpp>

#include "domain/support/error.hpp"
#include "domain/task/events.hpp"

namespace annolog {

enum class TaskTrigger : std::uint8_t {
  start,           // tasks/next, or a lock on a task without work
  submit,          // POST annotations
  send_to_review,  // by submit where review is required, else POST submit-for-review
  approve,
  reject,
  accept_rejection,  // explicit, or by the assignee's first edit
  reopen,
  skip,
};
BOOST_DESCRIBE_ENUM(TaskTrigger, start, submit, send_to_review, approve, reject, accept_rejection,
                    reopen, skip)

struct TaskTransition {
  TaskStatus from;
  TaskTrigger trigger;
  TaskStatus to;
};

// What is not listed is refused with 409.
inline constexpr std::array kTaskTransitions{
    TaskTransition{TaskStatus::pending, TaskTrigger::start, TaskStatus::in_progress},
    TaskTransition{TaskStatus::assigned, TaskTrigger::start, TaskStatus::in_progress},
    TaskTransition{TaskStatus::in_progress, TaskTrigger::submit, TaskStatus::submitted},
    TaskTransition{TaskStatus::in_progress, TaskTrigger::send_to_review, TaskStatus::review},
    TaskTransition{TaskStatus::submitted, TaskTrigger::send_to_review, TaskStatus::review},
    TaskTransition{TaskStatus::submitted, TaskTrigger::approve, TaskStatus::completed},
    TaskTransition{TaskStatus::review, TaskTrigger::approve, TaskStatus::completed},
    TaskTransition{TaskStatus::submitted, TaskTrigger::reject, TaskStatus::rejected},
    TaskTransition{TaskStatus::review, TaskTrigger::reject, TaskStatus::rejected},
    TaskTransition{TaskStatus::rejected, TaskTrigger::accept_rejection, TaskStatus::in_progress},
    TaskTransition{TaskStatus::completed, TaskTrigger::reopen, TaskStatus::in_progress},
    TaskTransition{TaskStatus::assigned, TaskTrigger::skip, TaskStatus::pending},
    TaskTransition{TaskStatus::in_progress, TaskTrigger::skip, TaskStatus::pending},
    TaskTransition{TaskStatus::rejected, TaskTrigger::skip, TaskStatus::pending},
};

constexpr std::optional<TaskStatus> target_of(TaskStatus from, TaskTrigger trigger) {
  for (const auto& row : kTaskTransitions) {
    if (row.from == from && row.trigger == trigger) return row.to;
  }
  return std::nullopt;
}

// 409 INVALID_TRANSITION, naming where the task stands and from where the trigger works.
DomainError impossible(TaskStatus from, TaskTrigger trigger);

const char* to_string(TaskStatus status);
const char* to_string(TaskTrigger trigger);

}  // namespace annolog
