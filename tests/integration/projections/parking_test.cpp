#include <gtest/gtest.h>

#include "projections/annotations/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::parking_test {
namespace {

eventstore::RecordHeaders headers(const std::string& type, const std::string& subject) {
  eventstore::RecordHeaders result;
  result.id = "poison";
  result.type = type;
  result.subject = subject;
  result.time_ms = kStartMs;
  result.actor = "7";
  return result;
}

std::string parked(World& world) {
  return ask(world.database.url(),
             "SELECT coalesce(string_agg(type || ' ' || subject, ', ' ORDER BY shard, position), "
             "'') FROM annolog.parked_events");
}

double parked_metric(World& world) {
  return world.metrics
      .counter(
          {"annolog_projection_parked_total", "Records parked because they could not be applied."})
      .value();
}

TEST(Parking, APoisonEventParksItsAggregateAndTheRestGoesOn) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 2)});
  world.append_raw(kProjectShard, headers("task.submitted", "task/100"), R"({"task_id":"x"})");
  world.append(kProjectShard, {TaskLocked{kProject, TaskId{100}, UserId{7}, {kStartMs}}});
  world.append(kProjectShard, {boxes_added(TaskId{101}, 1000, 3)});
  world.start();
  world.settle();
  EXPECT_EQ(parked(world), "task.submitted task/100, task.locked task/100");
  EXPECT_EQ(world.logged("parked a record"), 2U);  // the follower at debug level
  EXPECT_EQ(parked_metric(world), 2);
  const TaskQueries tasks(*world.pool);
  EXPECT_EQ(tasks.find(TaskId{100}, {0})->version, 1);
  EXPECT_EQ(tasks.find(TaskId{101}, {0})->annotation_count, 3);
}

TEST(Parking, AnUnknownTypeIsParked) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append_raw(0, headers("future.thing", "thing/1"), "{}");
  world.start();
  world.settle();
  EXPECT_EQ(parked(world), "future.thing thing/1");
}

TEST(Parking, DataThatPostgreSqlRefusesIsFoundInItsBatch) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 40)});
  for (std::int64_t i = 0; i < 40; ++i) {
    auto event = boxes_added(TaskId{100 + i}, 1000 + i, 1);
    if (i == 17) event.annotations.front().source = std::string("nul\0inside", 10);
    world.append(kProjectShard, {event});
  }
  world.start();
  world.settle();
  EXPECT_EQ(parked(world), "task.annotations_added task/117");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annotations"), "39");
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(annotation_count) FROM tasks"), "39");
}

TEST(Parking, SurvivesARestart) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 1)});
  world.append_raw(kProjectShard, headers("task.submitted", "task/100"), "{}");
  world.start();
  world.settle();
  world.stop();
  world.append(kProjectShard, {TaskLocked{kProject, TaskId{100}, UserId{7}, {kStartMs}}});
  world.start();
  world.settle();
  EXPECT_EQ(parked(world), "task.submitted task/100, task.locked task/100");
}

TEST(Parking, ListenersHearOfParkedRecordsWithoutAnEvent) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  std::size_t without_event = 0;
  world.listeners.push_back([&](std::span<const AppliedEvent> events) {
    for (const AppliedEvent& applied : events) without_event += applied.event == nullptr ? 1 : 0;
  });
  world.append_raw(0, headers("future.thing", "thing/1"), "{}");
  world.append(0, {user_created(1, Role::super_admin, "Ada")});
  world.start();
  world.settle();
  world.stop();
  EXPECT_EQ(without_event, 1U);
}

}  // namespace
}  // namespace annolog::projections::testing::parking_test
