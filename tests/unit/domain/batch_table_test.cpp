// The batch's table of steps, row by row against one typed from the law (spec, "States and
// transitions", Batch; decisions, section 4); then what the step to annotating carries on to.
#include <algorithm>
#include <string>
#include <utility>

#include "domain/batch/transitions.hpp"
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/batch_steps.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_table_test {
namespace {

using S = BatchStatus;

// The same cells: T an annotator and a task, W no work left, V nothing awaits review, F feedback,
// Y a reason; '-' nothing.
constexpr std::array<std::string_view, 7> kConditions{
    ".T....-",  // draft
    "..-...-",  // active
    "...W..-",  // annotating
    "....VF-",  // reviewing
    "...Y..-",  // approved
    ".-.Y..-",  // rejected
    ".Y.....",  // archived
};
// Those that also happen by themselves.
constexpr std::array kByItself{std::pair{S::active, S::annotating},
                               std::pair{S::annotating, S::reviewing}};

std::size_t place_of(S status) {
  return static_cast<std::size_t>(std::find(kAll.begin(), kAll.end(), status) - kAll.begin());
}

BatchActor actors_of(char letter) {
  switch (letter) {
    case 'A': return BatchActor::admin;
    case 'N': return BatchActor::admin | BatchActor::annotator;
    case 'R': return BatchActor::admin | BatchActor::reviewer;
    default: return BatchActor::owner;
  }
}

BatchCondition condition_of(char letter) {
  switch (letter) {
    case 'T': return BatchCondition::annotator_and_task;
    case 'W': return BatchCondition::no_open_task;
    case 'V': return BatchCondition::nothing_awaits_review;
    case 'F': return BatchCondition::feedback;
    case 'Y': return BatchCondition::reason;
    default: return BatchCondition::none;
  }
}

TEST(BatchTable, the_table_is_the_laws) {
  for (const auto& row : kBatchTransitions) {
    SCOPED_TRACE(std::string(to_string(row.from)) + " -> " + to_string(row.to));
    const auto from = place_of(row.from);
    const auto to = place_of(row.to);
    const char step = kSteps.at(from).at(to);
    ASSERT_NE(step, '.');
    const bool by_itself = std::find(kByItself.begin(), kByItself.end(),
                                     std::pair{row.from, row.to}) != kByItself.end();
    EXPECT_EQ(row.who, by_itself ? actors_of(step) | BatchActor::itself : actors_of(step));
    EXPECT_EQ(row.condition, condition_of(kConditions.at(from).at(to)));
    EXPECT_EQ(find_step(row.from, row.to), &row) << "no row twice";
  }
  std::size_t steps = 0;
  for (const auto& row : kSteps)
    steps += row.size() - static_cast<std::size_t>(std::count(row.begin(), row.end(), '.'));
  EXPECT_EQ(steps, kBatchTransitions.size());
}

// --- The step to annotating.

MoveBatch move_to(S target, std::optional<std::string> reason = std::nullopt) {
  return {kProject, {kBatch.value, 0, {}}, target, std::move(reason), std::nullopt};
}

BatchMoved moved(S from, S to, std::optional<std::string> reason = std::nullopt) {
  return {.project_id = kProject,
          .batch_id = kBatch,
          .from = from,
          .to = to,
          .automatic = false,
          .reason = std::move(reason),
          .review_feedback = std::nullopt,
          .annotator_id = kAnnotator,
          .reviewer_id = kReviewer};
}

TEST(BatchBegun, annotating_without_open_tasks_is_reviewing_at_once) {
  auto on_its_way = moved(S::annotating, S::reviewing);
  on_its_way.automatic = true;
  for (const auto status : {TaskStatus::submitted, TaskStatus::review, TaskStatus::completed}) {
    auto on = given_batch(S::active);
    on.world.batch->progress = {};
    on.world.batch->progress.of(status) = 3;
    on.when(move_to(S::annotating), kAdmin).then({moved(S::active, S::annotating), on_its_way});
  }
  for (const auto status :
       {TaskStatus::pending, TaskStatus::assigned, TaskStatus::in_progress, TaskStatus::rejected}) {
    auto on = given_batch(S::active);
    on.world.batch->progress.of(status) = 1;
    on.when(move_to(S::annotating), kAdmin).then({moved(S::active, S::annotating)});
  }
}

TEST(BatchBegun, a_batch_without_tasks_has_nothing_to_review) {
  auto on = given_batch(S::active);
  on.world.batch->progress = {};
  on.when(move_to(S::annotating)).then({moved(S::active, S::annotating)});
}

// The table begins a batch by work or by an admin, so one whose tasks are all done waits for those.
TEST(BatchBegun, a_batch_that_becomes_active_stays_there_until_it_is_begun) {
  for (const S from : {S::draft, S::rejected, S::archived}) {
    given_batch(from).when(move_to(S::active, "why")).then({moved(from, S::active, "why")});
  }
}

}  // namespace
}  // namespace annolog::testing::batch_table_test
