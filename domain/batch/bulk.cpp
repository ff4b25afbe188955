// Decisions about many batches in one append.
#include <unordered_set>

#include "domain/batch/commands.hpp"
#include "domain/batch/transitions.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog {
namespace {

// What all bulk calls begin with: who may, and how many.
Result<void> enter(const ProjectState& project, const std::vector<BatchRef>& batches,
                   const Context& context) {
  BOOST_OUTCOME_TRY(project.require_work(Action::own, context));
  if (batches.empty() || batches.size() > kMaxBulkBatches) {
    return validation_error({{{"batch_ids"}, "Name 1 to 1000 batches.", "length"}});
  }
  return success();
}

// Sorts out what no decision is needed for: the default batch and what was named before are
// skipped, what is not there has failed. True: `subject` is to be decided.
class Sorting {
 public:
  explicit Sorting(BulkOutcome& outcome) : outcome_(outcome) {}

  bool is_to_decide(const BulkSubject& subject) {
    if (subject.ref.text == kDefaultBatch) {
      outcome_.skipped.push_back({subject.ref, "The default batch can't be selected."});
      return false;
    }
    if (subject.batch.version == 0) {
      outcome_.failed.push_back({subject.ref, "NOT_FOUND", "No such batch."});
      return false;
    }
    if (seen_.insert(subject.batch.id).second) return true;
    outcome_.skipped.push_back({subject.ref, "Named before in this call."});
    return false;
  }

 private:
  BulkOutcome& outcome_;
  std::unordered_set<BatchId> seen_;
};

Result<Events> decide_one(const BatchCase& on, const ChangeBatches& command,
                          const Context& context) {
  const auto& batch = on.batch;
  switch (command.action) {
    case BulkAction::remove: return decide(on, DeleteBatch{batch.project_id, {}, {}}, context);
    case BulkAction::archive:
      return decide(on, MoveBatch{batch.project_id, {}, BatchStatus::archived, {}, {}}, context);
    case BulkAction::activate: break;
  }
  // An archived batch comes back by a reverse move, which has a reason.
  if (batch.status == BatchStatus::archived) return impossible(batch.status, BatchStatus::active);
  return decide(on, MoveBatch{batch.project_id, {}, BatchStatus::active, {}, {}, command.unfit},
                context);
}

DomainError too_many_batches() {
  return conflict("TOO_MANY_BATCHES",
                  "One call deals at most 10000 batches; deal them in parts by bulk-reassign.",
                  {{"limit", static_cast<std::int64_t>(kMaxDistributedBatches)}});
}

bool is_done(const BatchState& batch, BulkAction action) {
  return (action == BulkAction::archive && batch.status == BatchStatus::archived) ||
         (action == BulkAction::activate && batch.status == BatchStatus::active);
}

}  // namespace

Result<BulkDecision> decide(const ProjectState& project, const ChangeBatches& command,
                            const std::vector<BulkSubject>& batches, const Context& context) {
  BOOST_OUTCOME_TRY(enter(project, command.batches, context));
  BulkDecision decision;
  Sorting sorting(decision.outcome);
  std::int64_t touched = 0;
  for (const auto& subject : batches) {
    if (!sorting.is_to_decide(subject)) continue;
    if (is_done(subject.batch, command.action)) {
      decision.outcome.skipped.push_back(
          {subject.ref, std::string("Already ") + to_string(subject.batch.status) + "."});
      continue;
    }
    const auto tasks = command.action == BulkAction::remove ? subject.progress.total() : 0;
    if (touched > 0 && touched + tasks > kMaxBulkTasks) {
      decision.outcome.failed.push_back(
          {subject.ref, "CALL_FULL",
           "One call deletes batches of 100000 tasks at most; call again."});
      continue;
    }
    auto events = decide_one({project, subject.batch, subject.progress}, command, context);
    if (!events) {
      decision.outcome.failed.push_back({subject.ref, events.error().code, events.error().message});
      continue;
    }
    touched += tasks;
    decision.outcome.succeeded.push_back(subject.batch.id);
    for (auto& event : events.value()) decision.events.push_back(std::move(event));
  }
  return decision;
}

Result<BulkDecision> decide(const ProjectState& project, const ReassignBatches& command,
                            const std::vector<BulkSubject>& batches, const Context& context) {
  BOOST_OUTCOME_TRY(enter(project, command.batches, context));
  if (command.annotator_id.absent() && command.reviewer_id.absent()) {
    return validation_error(
        {{{"annotator_id"}, "Give annotator_id or reviewer_id; null clears.", "missing"}});
  }
  BOOST_OUTCOME_TRY(
      check_people(project, command.unfit, command.annotator_id, command.reviewer_id));
  BulkDecision decision;
  Sorting sorting(decision.outcome);
  std::vector<BatchRef> unchanged;  // should another one fail
  for (const auto& subject : batches) {
    if (!sorting.is_to_decide(subject)) continue;
    if (subject.batch.status == BatchStatus::archived) {
      decision.outcome.failed.push_back(
          {subject.ref, "BATCH_ARCHIVED", "Nobody works in an archived batch."});
      continue;
    }
    BOOST_OUTCOME_TRY(auto events, reassign({project, subject.batch, subject.progress}, {},
                                            command.annotator_id, command.reviewer_id));
    unchanged.push_back(subject.ref);
    decision.outcome.succeeded.push_back(subject.batch.id);
    for (auto& event : events) decision.events.push_back(std::move(event));
  }
  if (!decision.outcome.failed.empty()) {  // all or nothing
    decision.events.clear();
    decision.outcome.succeeded.clear();
    for (auto& ref : unchanged) {
      decision.outcome.failed.push_back(
          {std::move(ref), "OTHERS_FAILED", "All or none: another batch of the call has failed."});
    }
  }
  return decision;
}

Result<DistributeDecision> decide(const ProjectState& project, const DistributeBatches& command,
                                  const std::vector<BatchState>& batches, const Context& context) {
  BOOST_OUTCOME_TRY(project.require_work(Action::own, context));
  const auto& annotators = command.annotator_ids;
  const auto& reviewers = command.reviewer_ids;
  if (annotators.empty() && reviewers.empty()) {
    return validation_error(
        {{{"annotator_ids"}, "Name annotators, reviewers or both.", "missing"}});
  }
  std::vector<FieldError> errors;
  const auto check_each = [&](const std::vector<UserId>& people, const char* member, bool review) {
    for (std::size_t i = 0; i < people.size(); ++i) {
      const Patch<UserId> one(people[i]);
      const auto fits = review ? check_people(project, command.unfit, {}, one)
                               : check_people(project, command.unfit, one, {});
      if (fits) continue;
      auto error = fits.error().errors.front();
      error.loc = {std::string(member), static_cast<std::int64_t>(i)};
      errors.push_back(std::move(error));
    }
  };
  check_each(annotators, "annotator_ids", false);
  check_each(reviewers, "reviewer_ids", true);
  if (!errors.empty()) return validation_error(std::move(errors));

  DistributeDecision decision;
  std::size_t annotator_turn = 0;
  std::size_t reviewer_turn = 0;
  for (const auto& batch : batches) {
    if (batch.status == BatchStatus::archived || batch.status == BatchStatus::approved) continue;
    const bool all = command.scope == DistributeScope::all;
    const bool wants_annotator = !annotators.empty() && (all || !batch.annotator_id);
    const bool wants_reviewer = !reviewers.empty() && (all || !batch.reviewer_id);
    if (!wants_annotator && !wants_reviewer) continue;
    if (decision.outcome.assignments.size() == kMaxDistributedBatches) return too_many_batches();
    Patch<UserId> annotator;
    Patch<UserId> reviewer;
    if (wants_annotator)
      annotator = Patch<UserId>(annotators[annotator_turn++ % annotators.size()]);
    if (wants_reviewer) reviewer = Patch<UserId>(reviewers[reviewer_turn++ % reviewers.size()]);
    BOOST_OUTCOME_TRY(auto events, reassign({project, batch, {}}, {}, annotator, reviewer));
    decision.outcome.assignments.push_back(
        {batch.id, wants_annotator ? annotator.as_optional() : batch.annotator_id,
         wants_reviewer ? reviewer.as_optional() : batch.reviewer_id});
    for (auto& event : events) decision.events.push_back(std::move(event));
  }
  return decision;
}

}  // namespace annolog
