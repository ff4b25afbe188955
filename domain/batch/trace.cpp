#include "domain/batch/trace.hpp"

#include <utility>
#include <variant>

namespace annolog {
namespace {

std::string action_of(BatchesAction action) {
  switch (action) {
    case BatchesAction::archived: return "batch.bulk_archive";
    case BatchesAction::deleted: return "batch.bulk_delete";
    case BatchesAction::activated: return "batch.bulk_activate";
    case BatchesAction::reassigned: return "batch.bulk_reassign";
    case BatchesAction::distributed: break;
  }
  return "batch.distribute";
}

CallOutcome outcome_of(const BatchesChanged& event) {
  if (!event.succeeded.empty()) return CallOutcome::succeeded;
  return event.skipped.empty() ? CallOutcome::failed : CallOutcome::skipped;
}

struct Trace {
  BatchTrace operator()(const BatchCreated& e) const {
    return {"batch.create",
            {.display_id = "B-" + std::to_string(e.number),
             .name = e.name,
             .annotator_id = e.annotator_id,
             .reviewer_id = e.reviewer_id}};
  }
  BatchTrace operator()(const BatchRenamed& e) const { return {"batch.update", {.name = e.name}}; }
  BatchTrace operator()(const BatchAssigned& e) const {
    return {"batch.assign",
            {.annotator_changed = e.annotator_changed,
             .annotator_id = e.annotator_id,
             .reviewer_changed = e.reviewer_changed,
             .reviewer_id = e.reviewer_id}};
  }
  BatchTrace operator()(const BatchTasksAdded&) const { return {"batch.add_tasks", {}}; }
  BatchTrace operator()(const BatchTasksRemoved&) const { return {"batch.remove_tasks", {}}; }
  BatchTrace operator()(const BatchMoved& e) const {
    return {"batch.transition",
            {.reason = e.reason,
             .review_feedback = e.review_feedback,
             .from = e.from,
             .to = e.to,
             .automatic = e.automatic}};
  }
  BatchTrace operator()(const BatchReset& e) const {
    return {"batch.reset", {.reason = e.reason, .from = e.from, .to = BatchStatus::draft}};
  }
  BatchTrace operator()(const BatchDeleted&) const { return {"batch.delete", {}}; }
  BatchTrace operator()(const BatchesChanged& e) const {
    return {action_of(e.action), {.outcome = outcome_of(e)}};
  }
  // A type that this program keeps for batches and has no word for.
  template <class E>
  BatchTrace operator()(const E&) const {
    return {std::string(E::kType), {}};
  }
};

}  // namespace

BatchTrace trace_of(const Event& event) { return std::visit(Trace{}, event); }

}  // namespace annolog
