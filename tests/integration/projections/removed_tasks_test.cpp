// What is left in the read models of tasks whose dataset was unlinked: nothing, and no count of it.
#include <gtest/gtest.h>

#include "projections/annotations/queries.hpp"
#include "projections/comments/queries.hpp"
#include "projections/statistics/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::removed_tasks_test {
namespace {

constexpr TaskId kGoes{100};
constexpr TaskId kStays{101};

CommentAdded comment(std::int64_t id, TaskId task) {
  return {kProject, task, CommentId{id}, std::nullopt, UserId{7}, "look here", {}};
}

// Both tasks have live and deleted annotations and comments.
std::vector<Event> past() {
  std::vector<Event> events{tasks_created(100, 2)};
  std::int64_t next = 500;
  for (const TaskId task : {kGoes, kStays}) {
    events.emplace_back(boxes_added(task, next, 3));
    events.emplace_back(AnnotationDeleted{kProject, task, AnnotationId{next}, ClassId{1}, 2});
    events.emplace_back(comment(next, task));
    events.emplace_back(comment(next + 1, task));
    events.emplace_back(CommentDeleted{kProject, task, CommentId{next + 1}});
    next += 10;
  }
  return events;
}

class RemovedTasks : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RemovedTasks, take_their_annotations_and_comments_along) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  world.append(kProjectShard, {project_created()});
  for (const Event& event : past()) world.append(kProjectShard, {event});
  world.append(kProjectShard, {TasksRemoved{kProject, kDataset, {kGoes}}});
  world.start();
  world.settle();
  const std::string rows = world.dump();
  for (const char* const gone : {"\"500\"", "\"501\"", "\"502\""})
    EXPECT_EQ(rows.find(gone), std::string::npos) << gone;
  const TaskQueries tasks(*world.pool);
  EXPECT_FALSE(tasks.find(kGoes, {0}));
  ASSERT_TRUE(tasks.find(kStays, {0}));
  EXPECT_EQ(tasks.counts(kProject).at(static_cast<std::size_t>(TaskStatus::pending)), 1);
  world.rebuild();
  EXPECT_EQ(world.dump(), rows);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, RemovedTasks, ::testing::Values(1, 4, 2'000));

}  // namespace
}  // namespace annolog::projections::testing::removed_tasks_test
