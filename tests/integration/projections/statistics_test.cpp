// The counters behind statistics and dashboards.
#include "projections/statistics/queries.hpp"

#include <gtest/gtest.h>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::statistics_test {
namespace {

constexpr ProjectId kOther{5};
constexpr std::uint16_t kOtherShard = 1;
constexpr UserId kAda{2};
constexpr UserId kBob{3};
const std::vector<ProjectId> kBoth{kProject, kOther};

std::int64_t at(const TaskCounts& counts, TaskStatus status) {
  return counts.at(static_cast<std::size_t>(status));
}

std::int64_t at(const WorkCounts& counts, WorkAction action) {
  return counts.at(static_cast<std::size_t>(action));
}

// Four tasks in one project, two in another: taken, submitted, rejected, approved, over two days.
void fill(World& world) {
  const By first{7, kStartMs};
  const By next{7, kStartMs + kDayMs};
  world.append(kProjectShard, {project_created(), tasks_created(100, 4)}, first);
  world.append(kOtherShard, {project_created(kOther), tasks_created(200, 2, kOther)}, first);
  world.append(
      kProjectShard,
      {TaskTaken{kProject, TaskId{100}, kAda, {kStartMs + 1000}},
       TaskTaken{kProject, TaskId{101}, kAda, {kStartMs + 1000}}, boxes_added(TaskId{100}, 1000, 3),
       TaskSubmitted{kProject, TaskId{100}, kAda}, TaskSubmitted{kProject, TaskId{102}, kBob}},
      first);
  world.append(kProjectShard,
               {TaskSentToReview{kProject, TaskId{100}},
                TaskRejected{kProject, TaskId{100}, kBob, kAda, RejectReason::extra, "no"},
                TaskApproved{kProject, TaskId{102}, kAda, kBob}},
               next);
  world.append(kOtherShard,
               {TaskSubmitted{kOther, TaskId{200}, kAda}, TaskSentToReview{kOther, TaskId{200}}},
               next);
}

class Statistics : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Statistics, CountTasksByProjectStatusAndAssignee) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  const StatisticsQueries queries(*world.pool);
  const TaskCounts sum = queries.tasks(kBoth);
  EXPECT_EQ(at(sum, TaskStatus::pending), 2);
  EXPECT_EQ(at(sum, TaskStatus::in_progress), 1);
  EXPECT_EQ(at(sum, TaskStatus::review), 1);
  EXPECT_EQ(at(sum, TaskStatus::rejected), 1);
  EXPECT_EQ(at(sum, TaskStatus::completed), 1);
  EXPECT_EQ(at(sum, TaskStatus::submitted), 0);
  auto each = queries.tasks_by_project(kBoth);
  EXPECT_EQ(at(each[kOther], TaskStatus::review), 1);
  EXPECT_EQ(at(each[kProject], TaskStatus::review), 0);
  auto mine = queries.assigned_by_project(kAda, kBoth);
  EXPECT_EQ(at(mine[kProject], TaskStatus::in_progress), 1);
  EXPECT_EQ(at(mine[kProject], TaskStatus::rejected), 1);
  EXPECT_EQ(at(mine[kOther], TaskStatus::review), 1);
  EXPECT_EQ(queries.assigned_by_project(kAda, {{kOther}}).size(), 1U);
  EXPECT_TRUE(queries.assigned_by_project(UserId{99}, kBoth).empty());
  EXPECT_EQ(queries.tasks({}), TaskCounts{});
}

TEST_P(Statistics, CountWhatPeopleDidByDay) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  const StatisticsQueries queries(*world.pool);
  const Day first = day_of({kStartMs});
  const Day next{first.number + 1};
  auto ada = queries.work_of(kAda, first);
  EXPECT_EQ(at(ada[first], WorkAction::submitted), 1);
  EXPECT_EQ(at(ada[next], WorkAction::submitted), 1);
  EXPECT_EQ(at(ada[next], WorkAction::approved), 1);
  EXPECT_EQ(queries.work_of(kAda, next).size(), 1U);
  auto all = queries.work_in(kBoth, first);
  EXPECT_EQ(at(all[first], WorkAction::submitted), 2);
  EXPECT_EQ(at(all[next], WorkAction::rejected), 1);
  EXPECT_EQ(at(queries.work_in({{kOther}}, first)[next], WorkAction::submitted), 1);
  EXPECT_TRUE(queries.work_in({{kOther}}, Day{next.number + 1}).empty());
}

TEST_P(Statistics, CountLiveAnnotationsAndThoseOfPredictions) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  auto accepted = boxes_added(TaskId{100}, 1000, 3);
  for (auto& box : accepted.annotations) box.source = "ai-accepted";
  const auto deleted = [](std::int64_t id) {
    return AnnotationDeleted{kProject, TaskId{100}, AnnotationId{id}, ClassId{1}, 2, false};
  };
  // Within one append one comes and goes; another goes later; one changes.
  world.append(kProjectShard, {accepted, boxes_added(TaskId{100}, 1003, 2), deleted(1000)});
  world.append(kProjectShard, {deleted(1001), deleted(1003)}, {7, kStartMs + 1});
  AnnotationUpdated updated;
  updated.project_id = kProject;
  updated.task_id = TaskId{100};
  updated.annotation_id = AnnotationId{1002};
  updated.version = 2;
  updated.class_id = ClassId{2};
  updated.geometry = Bbox{0.1, 0.1, 0.1, 0.1};
  world.append(kProjectShard, {updated});
  world.start();
  world.settle();
  const StatisticsQueries queries(*world.pool);
  EXPECT_EQ(queries.annotations(kBoth).annotations, 2);
  EXPECT_EQ(queries.annotations(kBoth).ai_derived, 1);
  EXPECT_EQ(queries.annotations_by_project(kBoth).at(kProject).annotations, 2);
  EXPECT_EQ(queries.annotations({{kOther}}).annotations, 0);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Statistics, ::testing::Values(1, 3, 2000));

TEST(StatisticsRows, AreTheSameAfterARebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(2);
  fill(world);
  world.append(
      kProjectShard,
      {AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1000}, ClassId{1}, 2, false},
       AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1001}, ClassId{1}, 2, false},
       AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1002}, ClassId{1}, 2, false}});
  world.start();
  world.settle();
  world.stop();
  const std::string live = world.dump();
  EXPECT_NE(live.find("== work_counts\n("), std::string::npos) << live;
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

TEST(StatisticsRows, ListProjectsAndThoseWithTasksToReview) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  world.start();
  world.settle();
  const StatisticsQueries queries(*world.pool);
  const auto all = queries.projects({.all = true, .ids = {}}, std::nullopt, 1);
  ASSERT_EQ(all.items.size(), 1U);
  EXPECT_EQ(all.items[0].id, kOther);
  EXPECT_EQ(all.items[0].name, "Street 5");
  EXPECT_EQ(all.next, kOther);
  const auto some = queries.projects({.all = false, .ids = {kProject}}, std::nullopt, 10);
  ASSERT_EQ(some.items.size(), 1U);
  EXPECT_EQ(some.items[0].id, kProject);
  const auto waiting = queries.projects_to_review(kBoth, std::nullopt, 10);
  ASSERT_EQ(waiting.items.size(), 1U);
  EXPECT_EQ(waiting.items[0].id, kOther);
  EXPECT_TRUE(queries.projects_to_review(kBoth, kOther, 10).items.empty());
  EXPECT_TRUE(queries.projects_to_review({{kProject}}, std::nullopt, 10).items.empty());
}

}  // namespace
}  // namespace annolog::projections::testing::statistics_test
