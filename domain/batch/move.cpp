// The steps of a batch: by the table, and back to draft.
#include "domain/batch/commands.hpp"
#include "domain/batch/transitions.hpp"
#include "domain/batch/work.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxReason = 500;
// The law has a lower bound only; the upper is that of the other reasons without one (reject,
// skip).
constexpr std::size_t kMinResetReason = 10;
constexpr std::size_t kMaxResetReason = 2000;
constexpr std::size_t kMaxFeedback = 2000;

bool may(const BatchCase& on, BatchActor who, const Context& context) {
  const auto standing = on.project.standing(context);
  if (includes(who, BatchActor::owner) && standing.may(Action::own)) return true;
  if (includes(who, BatchActor::admin) && standing.may(Action::administer)) return true;
  if (includes(who, BatchActor::annotator) && on.batch.annotator_id == context.actor) {
    return standing.may(Action::annotate);
  }
  return includes(who, BatchActor::reviewer) && on.batch.reviewer_id == context.actor &&
         standing.may(Action::review);
}

std::string names_of(BatchActor who) {
  std::string names;
  const auto add = [&](BatchActor one, const char* name) {
    if (!includes(who, one)) return;
    if (!names.empty()) names += ", or ";
    names += name;
  };
  add(BatchActor::owner, "owner");
  add(BatchActor::admin, "project_admin");
  add(BatchActor::annotator, "annotator of the batch");
  add(BatchActor::reviewer, "reviewer of the batch");
  return names;
}

Result<void> check_text(const std::optional<std::string>& text, std::size_t least, std::size_t most,
                        const char* member) {
  if (!text) return success();
  const auto length = character_count(trimmed(*text));
  if (length >= least && length <= most) return success();
  return validation_error(
      {{{std::string(member)},
        "Must have " + std::to_string(least) + " to " + std::to_string(most) + " characters.",
        "length"}});
}

// Who can work.
bool has_annotator(const BatchCase& on, const UnfitPeople& unfit) {
  const auto& annotator = on.batch.annotator_id;
  return annotator && check_people(on.project, unfit, Patch<UserId>(*annotator), {});
}

Result<void> require_condition(const BatchCase& on, BatchCondition condition,
                               const MoveBatch& command) {
  switch (condition) {
    case BatchCondition::none: break;
    case BatchCondition::annotator_and_task:
      if (!has_annotator(on, command.unfit)) {
        return conflict("BATCH_NEEDS_ANNOTATOR",
                        "The batch needs an annotator first: an active user and a member of the "
                        "project, with the role annotator or above in both.");
      }
      if (on.progress.total() == 0) {
        return conflict("BATCH_EMPTY", "The batch needs at least one task first.");
      }
      break;
    case BatchCondition::no_open_task:
      if (on.progress.open() == 0) break;
      return conflict("BATCH_TASKS_OPEN", "Work is left in some tasks of the batch.",
                      {{"open_tasks", on.progress.open()}});
    case BatchCondition::nothing_awaits_review:
      if (on.progress.awaiting_review() == 0) break;
      return conflict("BATCH_TASKS_AWAIT_REVIEW", "Some tasks of the batch wait for review.",
                      {{"awaiting_review", on.progress.awaiting_review()}});
    case BatchCondition::feedback:
      if (command.review_feedback) break;
      return validation_error({{{"review_feedback"},
                                "A rejection needs 1 to 2000 characters of feedback.",
                                "missing"}});
    case BatchCondition::reason:
      if (command.reason && !trimmed(*command.reason).empty()) break;
      return DomainError{DomainError::Kind::bad_request,
                         "REASON_REQUIRED",
                         "A reverse move needs a reason of 1 to 500 characters.",
                         {},
                         {},
                         0};
  }
  return success();
}

}  // namespace

DomainError impossible(BatchStatus from, BatchStatus to) {
  std::vector<std::string> allowed;
  for (const auto& row : kBatchTransitions) {
    if (row.from == from) allowed.emplace_back(to_string(row.to));
  }
  return conflict(
      "INVALID_TRANSITION",
      std::string("A batch that is ") + to_string(from) + " can't become " + to_string(to) + ".",
      {{"from", std::string(to_string(from))},
       {"to", std::string(to_string(to))},
       {"allowed", std::move(allowed)}});
}

Result<Events> decide(const BatchCase& on, const MoveBatch& command, const Context& context) {
  BOOST_OUTCOME_TRY(on.project.require(Action::read_project, context));
  if (on.batch.version == 0) return not_found("batch");
  const auto* const row = find_step(on.batch.status, command.target_status);
  if (row == nullptr) return impossible(on.batch.status, command.target_status);
  if (!may(on, row->who, context)) return forbidden(names_of(row->who));
  BOOST_OUTCOME_TRY(on.project.require_work(Action::annotate, context));
  BOOST_OUTCOME_TRY(require_condition(on, row->condition, command));
  BOOST_OUTCOME_TRY(check_text(command.reason, 1, kMaxReason, "reason"));
  BOOST_OUTCOME_TRY(check_text(command.review_feedback, 1, kMaxFeedback, "review_feedback"));
  BatchMoved moved{.project_id = on.batch.project_id,
                   .batch_id = on.batch.id,
                   .from = row->from,
                   .to = row->to,
                   .automatic = false,
                   .reason = command.reason,
                   .review_feedback = command.review_feedback,
                   .annotator_id = on.batch.annotator_id,
                   .reviewer_id = on.batch.reviewer_id};
  TaskBatch after{on.batch, on.progress};
  after.batch.status = row->to;
  Events events{std::move(moved)};
  follow_tasks(after, events);  // annotating with no task open is reviewing
  return events;
}

Result<Events> decide(const BatchCase& on, const ResetBatch& command, const Context& context) {
  BOOST_OUTCOME_TRY(on.project.require(Action::own, context));
  if (on.batch.version == 0) return not_found("batch");
  BOOST_OUTCOME_TRY(on.project.require_work(Action::own, context));
  BOOST_OUTCOME_TRY(check_text(command.reason, kMinResetReason, kMaxResetReason, "reason"));
  if (on.batch.status == BatchStatus::draft)
    return impossible(BatchStatus::draft, BatchStatus::draft);
  return Events{BatchReset{on.batch.project_id, on.batch.id, on.batch.status, on.batch.reviewer_id,
                           command.reason}};
}

}  // namespace annolog
