// The batch's transition table (spec, "States and transitions", Batch; decisions, section 4).
#pragma once

#include <array>
#include <cstdint>

#include "domain/batch/status.hpp"
#include "domain/support/error.hpp"

namespace annolog {

// Who may take a step; `itself` follows from work on a task. An owner is a project_admin too.
enum class BatchActor : std::uint8_t {
  itself = 1,
  annotator = 2,  // the batch's own
  reviewer = 4,   // the batch's own
  admin = 8,      // project_admin, owner
  owner = 16,
};

constexpr BatchActor operator|(BatchActor a, BatchActor b) {
  return static_cast<BatchActor>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool includes(BatchActor set, BatchActor one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

// What must hold beside the status.
enum class BatchCondition : std::uint8_t {
  none,
  annotator_and_task,     // an annotator, and at least one task
  no_open_task,           // none in pending, assigned, in_progress or rejected
  nothing_awaits_review,  // none in submitted or review
  feedback,               // review_feedback, 1-2000 characters
  reason,                 // a reverse move: reason, 1-500 characters; without: 400
};

struct BatchTransition {
  BatchStatus from;
  BatchStatus to;
  BatchActor who;
  BatchCondition condition;
};

// What is not listed is refused with 409. A reset to draft is a command of its own.
inline constexpr std::array kBatchTransitions = [] {
  using enum BatchStatus;
  using Who = BatchActor;
  using If = BatchCondition;
  return std::to_array<BatchTransition>({
      {draft, active, Who::admin, If::annotator_and_task},
      {active, annotating, Who::itself | Who::admin, If::none},
      {annotating, reviewing, Who::itself | Who::annotator | Who::admin, If::no_open_task},
      {reviewing, approved, Who::reviewer | Who::admin, If::nothing_awaits_review},
      {reviewing, rejected, Who::reviewer | Who::admin, If::feedback},
      {rejected, active, Who::admin, If::none},
      {draft, archived, Who::owner, If::none},
      {active, archived, Who::owner, If::none},
      {annotating, archived, Who::owner, If::none},
      {reviewing, archived, Who::owner, If::none},
      {approved, archived, Who::owner, If::none},
      {rejected, archived, Who::owner, If::none},
      {archived, active, Who::owner, If::reason},
      {approved, reviewing, Who::owner, If::reason},
      {rejected, reviewing, Who::owner, If::reason},
  });
}();

// nullptr: no such step.
constexpr const BatchTransition* find_step(BatchStatus from, BatchStatus to) {
  for (const auto& row : kBatchTransitions) {
    if (row.from == from && row.to == to) return &row;
  }
  return nullptr;
}

// 409 INVALID_TRANSITION with from, to and what is allowed.
DomainError impossible(BatchStatus from, BatchStatus to);

}  // namespace annolog
