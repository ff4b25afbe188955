#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "projections/annotations/queries.hpp"
#include "projections/datasets/queries.hpp"
#include "projections/projects/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::queries_test {
namespace {

constexpr Timestamp kNow{kStartMs};

void add_tasks(World& world, std::int64_t count) {
  world.append(kProjectShard, {project_created(), tasks_created(100, count)});
  for (std::int64_t i = 0; i < count; i += 3) {
    world.append(kProjectShard, {TaskTaken{kProject, TaskId{100 + i}, UserId{5}, {kNow.ms + 1000}}},
                 {5, kStartMs + 1});
  }
  world.start();
  world.settle();
}

TEST(TaskPages, WalkEveryTaskOnceInOrder) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  add_tasks(world, 25);
  const TaskQueries tasks(*world.pool);
  std::vector<std::int64_t> seen;
  std::optional<TimeCursor> after;
  do {
    const auto page = tasks.list({.project_id = kProject}, after, 10, kNow);
    for (const auto& task : page.items) seen.push_back(task.id.value);
    after = page.next;
  } while (after);
  ASSERT_EQ(seen.size(), 25U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 25U);
  // A page that ends with the last row has no next one.
  EXPECT_EQ(tasks.list({.project_id = kProject}, std::nullopt, 25, kNow).next, std::nullopt);
}

TEST(TaskPages, FilterByEverythingThereIs) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  add_tasks(world, 9);
  const TaskQueries tasks(*world.pool);
  const auto count = [&](const TaskFilter& filter) {
    return tasks.list(filter, std::nullopt, 100, kNow).items.size();
  };
  EXPECT_EQ(count({.project_id = kProject, .statuses = {TaskStatus::pending}}), 6U);
  EXPECT_EQ(
      count({.project_id = kProject, .statuses = {TaskStatus::pending, TaskStatus::in_progress}}),
      9U);
  EXPECT_EQ(count({.project_id = kProject, .statuses = {}, .assignee_id = UserId{5}}), 3U);
  EXPECT_EQ(
      count({.project_id = kProject, .statuses = {}, .assignee_id = {}, .reviewer_id = UserId{5}}),
      0U);
  EXPECT_EQ(count({.project_id = kProject,
                   .statuses = {},
                   .assignee_id = {},
                   .reviewer_id = {},
                   .dataset_id = kDataset}),
            9U);
  TaskFilter since{.project_id = kProject};
  since.updated_since = Timestamp{kStartMs + 1};
  EXPECT_EQ(count(since), 3U);
  since.without_batch = true;
  since.statuses = {TaskStatus::in_progress};
  since.assignee_id = UserId{5};
  since.dataset_id = kDataset;
  EXPECT_EQ(count(since), 3U);
  EXPECT_EQ(count({.project_id = ProjectId{2}}), 0U);
}

TEST(TaskPages, ByOffsetKnowTheirTotal) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  add_tasks(world, 9);
  const TaskQueries tasks(*world.pool);
  auto page = tasks.list_by_offset({.project_id = kProject}, 4, 8, kNow);
  EXPECT_EQ(page.total, 9);
  EXPECT_EQ(page.items.size(), 1U);
  TaskFilter filter{.project_id = kProject, .statuses = {TaskStatus::pending}};
  EXPECT_EQ(tasks.list_by_offset(filter, 4, 0, kNow).total, 6);
  filter.dataset_id = kDataset;
  page = tasks.list_by_offset(filter, 4, 4, kNow);
  EXPECT_EQ(page.total, 6);
  EXPECT_FALSE(page.total_is_least);
  EXPECT_EQ(page.items.size(), 2U);
}

TEST(Tasks, ShowALockOnlyWhileItLives) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  add_tasks(world, 3);
  const TaskQueries tasks(*world.pool);
  EXPECT_EQ(tasks.find(TaskId{100}, kNow + 999)->lock->user_id, UserId{5});
  EXPECT_EQ(tasks.find(TaskId{100}, kNow + 1000)->lock, std::nullopt);
  EXPECT_EQ(tasks.find(TaskId{100}, kNow)->display_id, "T-1");
  EXPECT_EQ(tasks.find(TaskId{1}, kNow), std::nullopt);
  const std::vector<TaskId> ids{TaskId{102}, TaskId{1}, TaskId{100}};
  EXPECT_EQ(tasks.find_many(ids, kNow).size(), 2U);
  EXPECT_TRUE(tasks.find_many({}, kNow).empty());
}

TEST(AnnotationPages, AreNewestFirstAndLeaveOutTheDeleted) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  world.append(kProjectShard, {boxes_added(TaskId{100}, 1000, 3)}, {7, kStartMs});
  world.append(kProjectShard, {boxes_added(TaskId{100}, 1003, 3)}, {7, kStartMs + 1});
  world.append(kProjectShard,
               {AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1001}, ClassId{1}, 2, false},
                ProjectClassRenamed{kProject, ClassId{1}, "car", "auto"}});
  world.start();
  world.settle();
  const AnnotationQueries annotations(*world.pool);
  std::vector<std::int64_t> seen;
  std::optional<TimeCursor> after;
  do {
    const auto page = annotations.page(TaskId{100}, after, 2);
    for (const auto& annotation : page.items) seen.push_back(annotation.id.value);
    for (const auto& annotation : page.items) EXPECT_EQ(annotation.class_name, "auto");
    after = page.next;
  } while (after);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1005, 1004, 1003, 1002, 1000}));
}

TEST(AnnotationPages, EndByBytesToo) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  world.append(kProjectShard, {boxes_added(TaskId{100}, 1000, 5)});
  world.start();
  world.settle();
  const AnnotationQueries annotations(*world.pool);
  const auto lengths = [&](std::int64_t limit, std::int64_t most_bytes) {
    std::vector<std::size_t> found;
    std::optional<TimeCursor> after;
    do {
      const auto page = annotations.page(TaskId{100}, after, limit, most_bytes);
      found.push_back(page.items.size());
      after = page.next;
    } while (after && found.size() < 9);
    return found;
  };
  EXPECT_EQ(lengths(50, 1), (std::vector<std::size_t>{1, 1, 1, 1, 1})) << "one at least";
  EXPECT_EQ(lengths(2, 1'000'000), (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(lengths(1, 1), (std::vector<std::size_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(lengths(5, 1'000'000), (std::vector<std::size_t>{5}));
  EXPECT_EQ(lengths(4, 100), (std::vector<std::size_t>{2, 2, 1})) << "the second begins within";
}

TEST(Visibility, OfProjectsAndDatasets) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  const UserId owner{7}, member{8}, stranger{9};
  world.append(kProjectShard, {project_created(ProjectId{1}, owner),
                               ProjectMemberAdded{ProjectId{1}, member, Role::viewer}});
  world.append(kProjectShard, {project_created(ProjectId{5}, UserId{1})}, {1, kStartMs + 9});
  world.append(kDatasetShard, {dataset_created(DatasetId{10}, UserId{1}),
                               DatasetLinked{DatasetId{10}, ProjectId{1}},
                               dataset_created(DatasetId{14}, stranger)});
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  const SeenProjects all{.all = true, .ids = {}};
  const SeenProjects first_one{.all = false, .ids = {ProjectId{1}}};
  const auto count = [&](const SeenProjects& seen, const ProjectFilter& filter = {}) {
    return projects.list(seen, filter, std::nullopt, 10).items.size();
  };
  EXPECT_EQ(count(all), 2U);
  EXPECT_EQ(count(first_one), 1U);
  EXPECT_EQ(count({}), 0U);
  for (const SeenProjects& seen : {all, first_one}) {
    EXPECT_EQ(count(seen, {.types = {}, .member_id = member}), 1U);
    EXPECT_EQ(count(seen, {.types = {}, .member_id = stranger}), 0U);
  }
  EXPECT_EQ(count(all, {.types = {ProjectType::video_det}}), 0U);
  EXPECT_EQ(count(all, {.types = {ProjectType::video_det, ProjectType::image_det}}), 2U);
  ProjectFilter filter;
  filter.created_from = Timestamp{kStartMs + 9};
  EXPECT_EQ(count(all, filter), 1U);
  EXPECT_EQ(count(first_one, filter), 0U);
  filter = {.types = {}, .member_id = {}, .statuses = {ProjectStatus::archived}};
  EXPECT_EQ(count(all, filter), 0U);
  filter.statuses.push_back(ProjectStatus::in_progress);
  EXPECT_EQ(count(all, filter), 2U);
  filter.name_part = "STREET 5";
  EXPECT_EQ(count(all, filter), 1U);
  EXPECT_EQ(count(first_one, filter), 0U);
  filter.name_part = "Str%t";  // no pattern, but what it says
  EXPECT_EQ(count(all, filter), 0U);
  const auto first = projects.list(all, {}, std::nullopt, 1);
  ASSERT_EQ(first.next, ProjectId{5});
  EXPECT_EQ(projects.list(all, {}, first.next, 1).items[0].id, ProjectId{1});

  const DatasetQueries datasets(*world.pool);
  const SeenProjects none;
  for (const auto& [user, seen, sees_linked, sees_own] :
       {std::tuple{member, SeenProjects{false, {ProjectId{1}, ProjectId{5}}}, true, false},
        std::tuple{stranger, none, false, true}, std::tuple{UserId{1}, none, true, false}}) {
    EXPECT_EQ(datasets.visible(DatasetId{10}, user, seen), sees_linked);
    EXPECT_EQ(datasets.visible(DatasetId{14}, user, seen), sees_own);
    EXPECT_EQ(datasets.list(user, seen, std::nullopt, 10).items.size(), 1U);
  }
  EXPECT_EQ(datasets.list(stranger, all, std::nullopt, 10).items.size(), 2U);
}

TEST(ReadPool, AnswersAfterItsConnectionsWereKilled) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  add_tasks(world, 1);
  const TaskQueries tasks(*world.pool);
  ASSERT_TRUE(tasks.find(TaskId{100}, kNow));
  ask(world.database.url(),
      "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
      "WHERE application_name = 'annolog-read' "
      "AND datname = current_database()");
  EXPECT_TRUE(tasks.find(TaskId{100}, kNow));
}

TEST(ReadPool, SaysUnavailableWhenPostgreSqlIsAway) {
  ReadPool pool({.database_url = "host=127.0.0.1 port=1 dbname=x user=x", .connections = 1});
  EXPECT_THROW(TaskQueries(pool).find(TaskId{1}, kNow), ReadUnavailable);
  EXPECT_FALSE(pool.reachable());
}

TEST(ReadPool, SaysUnavailableWhenNoConnectionComesFreeOrAStatementIsTooSlow) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  ReadPool pool({.database_url = world.database.url(),
                 .connections = 1,
                 .checkout_ms = 1,
                 .connect_ms = 20'000,
                 .statement_ms = 50});
  pool.with_connection([&](PgConnection&) {
    std::thread([&] { EXPECT_THROW(TaskQueries(pool).counts(kProject), ReadUnavailable); }).join();
  });
  EXPECT_THROW(
      pool.with_connection([](PgConnection& connection) { connection.run("SELECT pg_sleep(30)"); }),
      ReadUnavailable);
  EXPECT_TRUE(pool.reachable());
}

}  // namespace
}  // namespace annolog::projections::testing::queries_test
