// The events of a batch in the words of the audit.
#include "domain/batch/trace.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing {
namespace {

using S = BatchStatus;

std::string action_of(const Event& event) { return trace_of(event).action; }

BatchesChanged call(BatchesAction action) { return {kProject, action, {kBatch}, {}, {}}; }

TEST(BatchTraceOf, every_event_of_a_batch_has_an_action) {
  EXPECT_EQ(action_of(BatchCreated{kProject, kBatch, 3, "Night", {}, {}}), "batch.create");
  EXPECT_EQ(action_of(BatchRenamed{kProject, kBatch, "Day"}), "batch.update");
  EXPECT_EQ(action_of(BatchAssigned{kProject, kBatch, kOther, {}, true, false}), "batch.assign");
  EXPECT_EQ(action_of(BatchTasksAdded{kProject, kBatch, {}, {}, {}}), "batch.add_tasks");
  EXPECT_EQ(action_of(BatchTasksRemoved{kProject, kBatch, {}}), "batch.remove_tasks");
  EXPECT_EQ(action_of(BatchReset{kProject, kBatch, S::active, {}, "x"}), "batch.reset");
  EXPECT_EQ(action_of(BatchDeleted{kProject, kBatch}), "batch.delete");
  EXPECT_EQ(action_of(call(BatchesAction::archived)), "batch.bulk_archive");
  EXPECT_EQ(action_of(call(BatchesAction::deleted)), "batch.bulk_delete");
  EXPECT_EQ(action_of(call(BatchesAction::activated)), "batch.bulk_activate");
  EXPECT_EQ(action_of(call(BatchesAction::reassigned)), "batch.bulk_reassign");
  EXPECT_EQ(action_of(call(BatchesAction::distributed)), "batch.distribute");
}

TEST(BatchTraceOf, a_move_tells_from_where_to_where_and_why) {
  const auto trace = trace_of(BatchMoved{kProject, kBatch, S::reviewing, S::rejected, false, "late",
                                         "the wheels", kAnnotator, kReviewer});
  EXPECT_EQ(trace.action, "batch.transition");
  BatchTraceDetail expected;
  expected.from = S::reviewing;
  expected.to = S::rejected;
  expected.automatic = false;
  expected.reason = "late";
  expected.review_feedback = "the wheels";
  EXPECT_EQ(trace.detail, expected);
}

TEST(BatchTraceOf, a_call_about_many_tells_what_came_of_this_one) {
  const auto outcome = [](const BatchesChanged& event) { return trace_of(event).detail.outcome; };
  EXPECT_EQ(outcome({kProject, BatchesAction::deleted, {kBatch}, {}, {}}), CallOutcome::succeeded);
  EXPECT_EQ(outcome({kProject, BatchesAction::deleted, {}, {kBatch}, {}}), CallOutcome::skipped);
  EXPECT_EQ(outcome({kProject, BatchesAction::deleted, {}, {}, {kBatch}}), CallOutcome::failed);
}

}  // namespace
}  // namespace annolog::testing
