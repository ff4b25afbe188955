// Every trigger of a task, in every status, by every kind of caller, against a table typed from the
// law (spec, "States and transitions", Task; decisions, sections 2 and 5); then projects by status.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/project/transitions.hpp"
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::task_actors_test {
namespace {

using S = TaskStatus;

constexpr std::array kStatuses{S::pending, S::assigned, S::in_progress, S::submitted,
                               S::review,  S::rejected, S::completed};
// The task was assigned to kAnnotator, and reviewed by kReviewer where it was.
constexpr std::array kCallers{kViewer, kOther, kAnnotator, kReviewer,
                              kAdmin,  kOwner, kRoot,      kStranger};

// What comes of it, a letter for a caller in the order of kCallers.
std::string code_of(char letter) {
  switch (letter) {
    case '+': return "ok";
    case 'F': return "FORBIDDEN";           // 403
    case 'N': return "NOT_FOUND";           // 404
    case 'T': return "INVALID_TRANSITION";  // 409, as all below
    case 'E': return "TASK_NOT_EDITABLE";
    case 'H': return "TASK_NOT_HELD";
    case 'A': return "TASK_ASSIGNED";
    default: return "?";
  }
}

struct Row {
  S from;
  std::string_view outcomes;
  S to;  // where it stands when it was done
};
using Table = std::array<Row, 7>;

template <class Command>
void expect_table(const char* trigger, const Table& table, const Command& command) {
  for (std::size_t at = 0; at < table.size(); ++at) {
    const Row& row = table.at(at);
    ASSERT_EQ(row.from, kStatuses.at(at)) << trigger;
    ASSERT_EQ(row.outcomes.size(), kCallers.size()) << trigger;
    for (std::size_t who = 0; who < kCallers.size(); ++who) {
      SCOPED_TRACE(std::string(trigger) + " in " + to_string(row.from) + " by caller " +
                   std::to_string(who));
      const UserId caller = kCallers.at(who);
      auto on = given_task(row.from);
      const auto outcome = on.when(command, caller);
      EXPECT_EQ(outcome.code(), code_of(row.outcomes.at(who)));
      if (!outcome.result()) continue;
      for (const auto& event : outcome.result().value()) on.world.happened(event, {caller, kNow});
      EXPECT_EQ(on.world.task.status, row.to);
    }
  }
}

//                    viewer, other annotator, assignee, reviewer, project_admin, owner,
//                    super_admin, somebody outside
constexpr Table kLockTable{{{S::pending, "F++++++N", S::in_progress},
                            {S::assigned, "FA+AAAAN", S::in_progress},
                            {S::in_progress, "F++++++N", S::in_progress},
                            {S::submitted, "FEE++++N", S::submitted},
                            {S::review, "FEE++++N", S::review},
                            {S::rejected, "FA+++++N", S::rejected},
                            {S::completed, "FEEEEEEN", S::completed}}};
// A reviewer who edits what waits for review submits nothing.
constexpr Table kSubmitTable{{{S::pending, "FEEEEEEN", S::pending},
                              {S::assigned, "FEEEEEEN", S::assigned},
                              {S::in_progress, "FH+++++N", S::submitted},
                              {S::submitted, "FEE++++N", S::submitted},
                              {S::review, "FEE++++N", S::review},
                              {S::rejected, "FE+EEEEN", S::submitted},
                              {S::completed, "FEEEEEEN", S::completed}}};
constexpr Table kSaveTable{{{S::pending, "FEEEEEEN", S::pending},
                            {S::assigned, "FEEEEEEN", S::assigned},
                            {S::in_progress, "FH+++++N", S::in_progress},
                            {S::submitted, "FEE++++N", S::submitted},
                            {S::review, "FEE++++N", S::review},
                            {S::rejected, "FE+EEEEN", S::in_progress},
                            {S::completed, "FEEEEEEN", S::completed}}};
constexpr Table kSendTable{{{S::pending, "FTTTTTTN", S::pending},
                            {S::assigned, "FTTTTTTN", S::assigned},
                            {S::in_progress, "FF+++++N", S::review},
                            {S::submitted, "FF+++++N", S::review},
                            {S::review, "FTTTTTTN", S::review},
                            {S::rejected, "FTTTTTTN", S::rejected},
                            {S::completed, "FTTTTTTN", S::completed}}};
constexpr Table kApproveTable{{{S::pending, "FFFTTTTN", S::pending},
                               {S::assigned, "FFFTTTTN", S::assigned},
                               {S::in_progress, "FFFTTTTN", S::in_progress},
                               {S::submitted, "FFF++++N", S::completed},
                               {S::review, "FFF++++N", S::completed},
                               {S::rejected, "FFFTTTTN", S::rejected},
                               {S::completed, "FFFTTTTN", S::completed}}};
constexpr Table kRejectTable{{{S::pending, "FFFTTTTN", S::pending},
                              {S::assigned, "FFFTTTTN", S::assigned},
                              {S::in_progress, "FFFTTTTN", S::in_progress},
                              {S::submitted, "FFF++++N", S::rejected},
                              {S::review, "FFF++++N", S::rejected},
                              {S::rejected, "FFFTTTTN", S::rejected},
                              {S::completed, "FFFTTTTN", S::completed}}};
constexpr Table kAcceptTable{{{S::pending, "FTTTTTTN", S::pending},
                              {S::assigned, "FTTTTTTN", S::assigned},
                              {S::in_progress, "FTTTTTTN", S::in_progress},
                              {S::submitted, "FTTTTTTN", S::submitted},
                              {S::review, "FTTTTTTN", S::review},
                              {S::rejected, "FF+FF++N", S::in_progress},
                              {S::completed, "FTTTTTTN", S::completed}}};
// In `pending` nobody is the assignee.
constexpr Table kReopenTable{{{S::pending, "FFFTTTTN", S::pending},
                              {S::assigned, "FFTTTTTN", S::assigned},
                              {S::in_progress, "FFTTTTTN", S::in_progress},
                              {S::submitted, "FFTTTTTN", S::submitted},
                              {S::review, "FFTTTTTN", S::review},
                              {S::rejected, "FFTTTTTN", S::rejected},
                              {S::completed, "FF+++++N", S::in_progress}}};
constexpr Table kSkipTable{{{S::pending, "FTTTTTTN", S::pending},
                            {S::assigned, "FA+++++N", S::pending},
                            {S::in_progress, "FA+++++N", S::pending},
                            {S::submitted, "FTTTTTTN", S::submitted},
                            {S::review, "FTTTTTTN", S::review},
                            {S::rejected, "FA+++++N", S::pending},
                            {S::completed, "FTTTTTTN", S::completed}}};

TEST(TaskActors, every_trigger_in_every_status_by_every_caller) {
  expect_table("lock", kLockTable, LockTask{kTask});
  expect_table("submit", kSubmitTable, AddAnnotations{kTask, {}, true});
  expect_table("save", kSaveTable, AddAnnotations{kTask, {box()}, false});
  expect_table("submit-for-review", kSendTable, SubmitForReview{kTask});
  expect_table("approve", kApproveTable, ApproveTask{kTask});
  expect_table("reject", kRejectTable, RejectTask{kTask, RejectReason::extra, std::nullopt});
  expect_table("accept-rejection", kAcceptTable, AcceptRejection{kTask});
  expect_table("reopen", kReopenTable, ReopenTask{kTask});
  expect_table("skip", kSkipTable, SkipTask{kTask, std::nullopt});
}

TEST(TaskActors, a_submission_ends_in_review_where_that_is_required) {
  auto on = given_task(S::in_progress, true);
  const auto outcome = on.when(AddAnnotations{kTask, {}, true}, kAnnotator);
  outcome.then({TaskSubmitted{kProject, kTask, kAnnotator}, TaskSentToReview{kProject, kTask}});
}

// The specification and decisions, section 3: the owner moves a project between any two statuses.
TEST(ProjectTransitions, the_table_is_the_laws) {
  using P = ProjectStatus;
  const std::vector<std::pair<P, P>> law{
      {P::in_progress, P::completed}, {P::in_progress, P::archived}, {P::completed, P::in_progress},
      {P::completed, P::archived},    {P::archived, P::in_progress}, {P::archived, P::completed}};
  std::vector<std::pair<P, P>> found;
  for (const auto& row : kProjectTransitions) {
    EXPECT_EQ(row.who, Action::own);
    EXPECT_EQ(find_step(row.from, row.to), &row) << "no row twice";
    found.emplace_back(row.from, row.to);
  }
  EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), law.begin(), law.end()));
}

// Letters as above; from and to in the order of ProjectStatus.
TEST(ProjectTransitions, every_step_by_every_caller) {
  using P = ProjectStatus;
  constexpr std::array kAll{P::in_progress, P::completed, P::archived};
  constexpr std::string_view kStep = "FFFFF++N";
  constexpr std::string_view kStay = "FFFF+++N";
  // An archived one is nothing that viewers and annotators know of.
  constexpr std::size_t kHiddenFrom = 3;
  for (const P from : kAll) {
    for (const P to : kAll) {
      EXPECT_EQ(find_step(from, to) != nullptr, from != to);
      for (std::size_t who = 0; who < kCallers.size(); ++who) {
        SCOPED_TRACE(std::to_string(static_cast<int>(from)) + " -> " +
                     std::to_string(static_cast<int>(to)) + " by caller " + std::to_string(who));
        auto on = given(project_with_members());
        on.world.project.status = from;
        UpdateProject command;
        command.project_id = kProject;
        command.status = to;
        const auto outcome = on.when(command, kCallers.at(who));
        const bool hidden = from == P::archived && who < kHiddenFrom;
        EXPECT_EQ(outcome.code(), code_of(hidden ? 'N' : (from == to ? kStay : kStep).at(who)));
        if (!outcome.result()) continue;
        EXPECT_EQ(outcome.result().value().empty(), from == to);
        for (const auto& event : outcome.result().value()) {
          on.world.happened(event, {kCallers.at(who), kNow});
        }
        EXPECT_EQ(on.world.project.status, to);
      }
    }
  }
}

}  // namespace
}  // namespace annolog::testing::task_actors_test
