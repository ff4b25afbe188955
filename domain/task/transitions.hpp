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

// Who may take a step; roles are those in the project, and a higher role is the lower ones too.
enum class TaskActor : std::uint8_t {
  annotator = 1,
  assignee = 2,  // with the role annotator
  reviewer = 4,
  owner = 8,
  holder = 16,  // of its lock, with the role annotator
};

constexpr TaskActor operator|(TaskActor a, TaskActor b) {
  return static_cast<TaskActor>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool includes(TaskActor set, TaskActor one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

struct TaskTransition {
  TaskStatus from;
  TaskTrigger trigger;
  TaskStatus to;
  TaskActor who;
};

// What is not listed is refused with 409.
inline constexpr std::array kTaskTransitions = [] {
  using enum TaskStatus;
  using On = TaskTrigger;
  using Who = TaskActor;
  constexpr Who kWorker = Who::assignee | Who::reviewer;
  return std::to_array<TaskTransition>({
      {pending, On::start, in_progress, Who::annotator},
      {assigned, On::start, in_progress, Who::assignee},
      {in_progress, On::submit, submitted, kWorker | Who::holder},
      {in_progress, On::send_to_review, review, kWorker},
      {submitted, On::send_to_review, review, kWorker},
      {submitted, On::approve, completed, Who::reviewer},
      {review, On::approve, completed, Who::reviewer},
      {submitted, On::reject, rejected, Who::reviewer},
      {review, On::reject, rejected, Who::reviewer},
      {rejected, On::accept_rejection, in_progress, Who::assignee | Who::owner},
      {completed, On::reopen, in_progress, kWorker},
      {assigned, On::skip, pending, kWorker},
      {in_progress, On::skip, pending, kWorker},
      {rejected, On::skip, pending, kWorker},
  });
}();

// nullptr: no such step.
constexpr const TaskTransition* find_step(TaskStatus from, TaskTrigger trigger) {
  for (const auto& row : kTaskTransitions) {
    if (row.from == from && row.trigger == trigger) return &row;
  }
  return nullptr;
}

// Who may pull the trigger there; where it does nothing, who may anywhere: the others are told that
// they may not before they are told that it is the wrong time.
constexpr TaskActor actors_of(TaskStatus from, TaskTrigger trigger) {
  if (const auto* row = find_step(from, trigger)) return row->who;
  auto who = static_cast<TaskActor>(0);
  for (const auto& row : kTaskTransitions) {
    if (row.trigger == trigger) who = who | row.who;
  }
  return who;
}

// 409 INVALID_TRANSITION, naming where the task stands and from where the trigger works.
DomainError impossible(TaskStatus from, TaskTrigger trigger);

const char* to_string(TaskStatus status);
const char* to_string(TaskTrigger trigger);

}  // namespace annolog
