// The change feed of a project: what is in it, in which order, from where on, how much at once.
#include "projections/feed/queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "domain/codec/public_events.hpp"
#include "tests/integration/projections/past.hpp"
#include "tests/integration/projections/samples.hpp"

namespace annolog::projections::testing::feed_test {
namespace {

constexpr std::int64_t kFar = 1'000'000'000;
constexpr ProjectId kNeighbour{5};  // in the same shard
constexpr TaskId kTask{100};

struct From {
  ProjectId project_id = kProject;
  std::int64_t after = 0;
  std::int64_t limit = 1000;
  std::vector<std::string> types = {};
  std::int64_t most = kFar;
};

FeedSlice read(const World& world, const From& from = {}) {
  return FeedQueries(*world.pool)
      .read({.project_id = from.project_id,
             .shard = eventstore::ShardId(kProjectShard),
             .after = from.after,
             .most = from.most,
             .limit = from.limit,
             .types = from.types});
}

std::vector<std::string> types(const FeedSlice& slice) {
  std::vector<std::string> types;
  for (const auto& event : slice.events) types.emplace_back(codec::public_rule(event.event).type);
  return types;
}

std::vector<std::int64_t> offsets(const FeedSlice& slice) {
  std::vector<std::int64_t> offsets;
  for (const auto& event : slice.events) offsets.push_back(event.position);
  return offsets;
}

// Of every kind, the neighbour's between them. Offsets are from 1 on, an event each.
void fill(World& world) {
  world.append(kProjectShard, {project_created(), project_created(kNeighbour),              // 1, 2
                               tasks_created(100, 3), tasks_created(500, 2, kNeighbour)});  // 3, 4
  world.append(kProjectShard, batch_of(100, 2));                                            // 5, 6
  world.append(kProjectShard,
               {TaskTaken{kProject, kTask, UserId{8}, {kStartMs}},            // 7
                TaskLockRenewed{kProject, kTask, UserId{8}, {kStartMs + 1}},  // 8
                TaskTaken{kNeighbour, TaskId{500}, UserId{8}, {kStartMs}},    // 9
                boxes_added(kTask, 1000, 2),                                  // 10
                TaskSubmitted{kProject, kTask, UserId{8}}},
               {8, kStartMs + 5});  // 11
  world.append(kProjectShard,
               {CommentAdded{kProject, kTask, CommentId{70}, {}, UserId{8}, "a word", {}},  // 12
                ProjectMemberAdded{kProject, UserId{9}, Role::viewer},                      // 13
                BatchesChanged{kProject, BatchesAction::archived, {kBatch}, {}, {}},        // 14
                handed_to(UserId{9})});                                                     // 15
}

void fill_and_settle(World& world) {
  fill(world);
  world.start();
  world.settle();
}

class Feed : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Feed, HasAllThatIsPublicOfTheProjectInTheOrderOfTheLog) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill_and_settle(world);
  const auto slice = read(world);
  EXPECT_EQ(types(slice),
            (std::vector<std::string>{"project.created", "tasks.created", "batch.created",
                                      "batch.tasks_added", "task.taken", "task.annotations_added",
                                      "task.submitted", "comment.added", "project.member_added",
                                      "batches.changed", "batch.assigned"}));
  EXPECT_EQ(offsets(slice), (std::vector<std::int64_t>{1, 3, 5, 6, 7, 10, 11, 12, 13, 14, 15}));
  EXPECT_TRUE(slice.caught_up);
  EXPECT_EQ(slice.reached, end_of(world, kProjectShard));
  EXPECT_EQ(slice.events[5].how.actor, UserId{8});
  EXPECT_EQ(slice.events[5].how.at.ms, kStartMs + 5);
  EXPECT_EQ(types(read(world, {.project_id = kNeighbour})),
            (std::vector<std::string>{"project.created", "tasks.created", "task.taken"}));
}

TEST_P(Feed, TellsOfManyTasksInOneEvent) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill_and_settle(world);
  const auto slice = read(world);
  const auto& born = std::get<TasksCreated>(slice.events[1].event);
  ASSERT_EQ(born.tasks.size(), 3U);
  EXPECT_EQ(born.tasks[2].task_id, TaskId{102});
  EXPECT_EQ(born.tasks[2].number, 3);
  EXPECT_EQ(born.tasks[2].file_name, "") << "the task's row has it";
  const auto& joined = std::get<BatchTasksAdded>(slice.events[3].event);
  EXPECT_EQ(joined.task_ids, (std::vector<TaskId>{TaskId{100}, TaskId{101}}));
  EXPECT_EQ(std::get<CommentAdded>(slice.events[7].event).body, "") << "it may be taken back";
}

TEST_P(Feed, GoesOnBehindAnyPlaceByAnyLimit) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill_and_settle(world);
  const auto whole = offsets(read(world));
  for (const std::int64_t limit : {1, 2, 3, 11}) {
    std::vector<std::int64_t> seen;
    FeedSlice slice;
    do {
      slice = read(world, {.after = slice.reached, .limit = limit});
      ASSERT_LE(std::ssize(slice.events), limit);
      for (const std::int64_t offset : offsets(slice)) seen.push_back(offset);
    } while (!slice.caught_up);
    EXPECT_EQ(seen, whole) << limit;
    EXPECT_EQ(slice.reached, end_of(world, kProjectShard));
  }
  EXPECT_EQ(offsets(read(world, {.after = 11})), (std::vector<std::int64_t>{12, 13, 14, 15}));
  EXPECT_EQ(offsets(read(world, {.after = 8})).front(), 10) << "a place of nobody's";
  const auto end = read(world, {.after = 15});
  EXPECT_TRUE(end.events.empty());
  EXPECT_TRUE(end.caught_up);
  EXPECT_EQ(end.reached, 15);
}

TEST_P(Feed, ShowsNothingBehindWhatTheReaderMaySee) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill_and_settle(world);
  const auto slice = read(world, {.after = 3, .most = 7});
  EXPECT_EQ(offsets(slice), (std::vector<std::int64_t>{5, 6, 7}));
  EXPECT_EQ(slice.reached, 7);
  EXPECT_TRUE(slice.caught_up);
  EXPECT_EQ(read(world, {.after = 9, .most = 7}).reached, 9) << "it never goes back";
}

TEST_P(Feed, HasTheAskedTypesAlone) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill_and_settle(world);
  const auto slice = read(world, {.types = {"task.taken", "batch.created", "task.rejected"}});
  EXPECT_EQ(offsets(slice), (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(slice.reached, 15) << "what was asked not to be here is passed";
  EXPECT_TRUE(slice.caught_up);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Feed, ::testing::Values(1, 2'000));

// One read looks at 5,000 rows and at 4 MiB at most.
TEST(FeedReads, LooksForRareTypesInStretches) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  std::vector<Event> many;
  for (int i = 0; i < 6'000; ++i) many.emplace_back(TaskUnlocked{kProject, kTask, UserId{8}});
  many.emplace_back(TaskSkipped{kProject, kTask, UserId{8}, std::nullopt});
  world.append(kProjectShard, many);
  world.start();
  world.settle();
  const auto first = read(world, {.types = {"task.skipped"}});
  EXPECT_TRUE(first.events.empty());
  EXPECT_FALSE(first.caught_up);
  EXPECT_EQ(first.reached, 5'000);
  const auto second = read(world, {.after = first.reached, .types = {"task.skipped"}});
  EXPECT_EQ(offsets(second), (std::vector<std::int64_t>{6'003}));
  EXPECT_TRUE(second.caught_up);
  EXPECT_EQ(std::ssize(read(world, {.limit = 1000}).events), 1000);
}

TEST(FeedReads, EndsASliceThatIsBig) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  for (int i = 0; i < 6; ++i) {
    TaskSkipped big{kProject, kTask, UserId{8}, std::string(1'000'000, 'a')};
    world.append(kProjectShard, {big});
  }
  world.start();
  world.settle();
  const auto first = read(world);
  EXPECT_GE(first.events.size(), 6U);
  EXPECT_LT(first.events.size(), 8U);
  EXPECT_FALSE(first.caught_up);
  const auto rest = read(world, {.after = first.reached});
  EXPECT_EQ(first.events.size() + rest.events.size(), 8U);
  EXPECT_TRUE(rest.caught_up);
}

TEST(FeedReads, SaysWhereSomethingIsNew) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill_and_settle(world);
  const eventstore::ShardId shard(kProjectShard);
  const std::vector<FeedQueries::Place> places{{kProject, shard, 0},    {kProject, shard, 14},
                                               {kProject, shard, 15},   {kNeighbour, shard, 8},
                                               {kNeighbour, shard, 9},  {kNeighbour, shard, 4},
                                               {ProjectId{9}, shard, 0}};
  const auto news = FeedQueries(*world.pool).news(places, kShards);
  EXPECT_EQ(news.any, (std::vector<bool>{true, true, false, true, false, true, false}));
  EXPECT_EQ(news.looked.at(kProjectShard), 15);
  EXPECT_EQ(news.looked.at(0), 0);
  EXPECT_TRUE(FeedQueries(*world.pool).news({}, kShards).any.empty());
}

TEST(FeedReads, ARenewedLockIsNoNews) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill_and_settle(world);
  world.append(kProjectShard, {TaskLockRenewed{kProject, kTask, UserId{8}, {kStartMs + 9}}});
  world.settle();
  const std::vector<FeedQueries::Place> place{{kProject, eventstore::ShardId(kProjectShard), 15}};
  EXPECT_EQ(FeedQueries(*world.pool).news(place, kShards).any, std::vector<bool>{false});
}

TEST(FeedReads, IsTheSameAfterARebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill_and_settle(world);
  const auto before = read(world);
  world.stop();
  world.rebuild();
  world.start();
  world.settle();
  const auto after = read(world);
  EXPECT_EQ(offsets(after), offsets(before));
  EXPECT_EQ(types(after), types(before));
}

TEST(FeedReads, WhatHappenedToRemovedTasksGoesWithThem) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill_and_settle(world);
  world.append(kProjectShard, {TasksRemoved{kProject, kDataset, {kTask}}});
  world.settle();
  EXPECT_EQ(types(read(world)),
            (std::vector<std::string>{"project.created", "tasks.created", "batch.created",
                                      "batch.tasks_added", "project.member_added",
                                      "batches.changed", "batch.assigned", "tasks.removed"}));
}

TEST(FeedReads, ADeletedProjectLeavesNothing) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill_and_settle(world);
  world.append(kProjectShard, {ProjectDeleted{kProject}});
  world.settle();
  EXPECT_TRUE(read(world).events.empty());
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM project_events WHERE project_id = 1"),
            "0");
  EXPECT_EQ(read(world, {.project_id = kNeighbour}).events.size(), 3U);
}

}  // namespace
}  // namespace annolog::projections::testing::feed_test
