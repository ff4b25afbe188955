#include <chrono>

#include <gtest/gtest.h>

#include "projections/exports/export_rows.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::export_test {
namespace {

void fill(World& world) {
  world.append(kProjectShard, {project_created(), tasks_created(100, 4)});
  world.append(kProjectShard, {boxes_added(TaskId{100}, 1000, 3), boxes_added(TaskId{102}, 1010, 2),
                               boxes_added(TaskId{103}, 1020, 1),
                               TaskSubmitted{kProject, TaskId{103}, UserId{7}}});
  world.append(kProjectShard, {AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1001},
                                                 ClassId{1}, 2, false}});
  world.start();
  world.settle();
}

std::string walk(ExportRows& rows) {
  std::string text;
  ExportTaskRow task;
  AnnotationView annotation;
  while (rows.next_task(task)) {
    text += "T" + std::to_string(task.id.value) + ":";
    while (rows.next_annotation(annotation)) {
      EXPECT_EQ(annotation.task_id, task.id);
      EXPECT_EQ(annotation.class_name, "car");
      text += " " + std::to_string(annotation.id.value);
    }
    text += "\n";
  }
  return text;
}

constexpr const char kAll[] = "T100: 1000 1002\nT101:\nT102: 1010 1011\nT103: 1020\n";

TEST(ExportRows, GivesTasksInOrderWithTheirLiveAnnotations) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  ExportRows rows(*world.pool, {kProject});
  ASSERT_TRUE(rows.project());
  EXPECT_EQ(rows.classes(), project_created().classes);
  rows.rewind(true);
  EXPECT_EQ(walk(rows), kAll);
}

TEST(ExportRows, GivesRestoredAnnotationsAgain) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  world.append(kProjectShard, {AnnotationRestored{kProject, TaskId{100}, AnnotationId{1001},
                                                  ClassId{1}, 3, false}});
  world.settle();
  ExportRows rows(*world.pool, {kProject});
  rows.rewind(true);
  EXPECT_EQ(walk(rows), "T100: 1000 1001 1002\nT101:\nT102: 1010 1011\nT103: 1020\n");
}

TEST(ExportRows, EveryPassSeesTheSameSnapshotWhateverIsWrittenMeanwhile) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  ExportRows rows(*world.pool, {kProject});
  const auto end = world.log->end(eventstore::ShardId{kProjectShard});
  world.append(kProjectShard, {boxes_added(TaskId{101}, 2000, 5)});
  world.settle();
  rows.rewind(false);
  EXPECT_EQ(walk(rows), "T100:\nT101:\nT102:\nT103:\n");
  rows.rewind(true);
  ExportTaskRow task;
  ASSERT_TRUE(rows.next_task(task));
  rows.rewind(true);
  EXPECT_EQ(walk(rows), kAll);
  ASSERT_EQ(rows.positions().size(), std::size_t{kShards});
  EXPECT_EQ(rows.positions()[kProjectShard].offset, end);
}

TEST(ExportRows, SkipsWhatIsLeftUnreadAndFiltersByStatus) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  ExportRows rows(*world.pool, {kProject});
  rows.rewind(true);
  ExportTaskRow task;
  std::vector<std::int64_t> ids;
  while (rows.next_task(task)) ids.push_back(task.id.value);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{100, 101, 102, 103}));
  ExportRows submitted(*world.pool, {.project_id = kProject, .statuses = {TaskStatus::submitted}});
  submitted.rewind(true);
  EXPECT_EQ(walk(submitted), "T103: 1020\n");
}

TEST(ExportRows, TakeTheTasksOfSeveralStatusesInOrderOfId) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  ExportRows rows(*world.pool,
                  {.project_id = kProject,
                   .statuses = {TaskStatus::submitted, TaskStatus::pending, TaskStatus::pending}});
  rows.rewind(true);
  EXPECT_EQ(walk(rows), "T100: 1000 1002\nT101:\nT102: 1010 1011\nT103: 1020\n");
  ExportRows none(*world.pool,
                  {.project_id = kProject, .statuses = {TaskStatus::review, TaskStatus::rejected}});
  none.rewind(true);
  EXPECT_EQ(walk(none), "");
}

TEST(ExportRows, OfSomeClassesLeaveEveryTask) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  TaskAnnotationsAdded dogs{kProject, TaskId{101}, {box(2000, 2), box(2001, 1), box(2002, 2)}};
  world.append(kProjectShard, {dogs});
  world.settle();
  const auto ids = [&](std::vector<ClassId> classes) {
    ExportRows rows(*world.pool, {.project_id = kProject, .class_ids = std::move(classes)});
    rows.rewind(true);
    std::string text;
    ExportTaskRow task;
    AnnotationView annotation;
    while (rows.next_task(task)) {
      text += "T" + std::to_string(task.id.value);
      while (rows.next_annotation(annotation)) text += " " + std::to_string(annotation.id.value);
      text += ";";
    }
    return text;
  };
  EXPECT_EQ(ids({ClassId{2}}), "T100;T101 2000 2002;T102;T103;");
  EXPECT_EQ(ids({ClassId{1}}), "T100 1000 1002;T101 2001;T102 1010 1011;T103 1020;");
  EXPECT_EQ(ids({ClassId{2}, ClassId{1}, ClassId{2}}),
            "T100 1000 1002;T101 2000 2001 2002;T102 1010 1011;T103 1020;");
  EXPECT_EQ(ids({ClassId{99}}), "T100;T101;T102;T103;");
}

TEST(ExportRows, OfABatchHoldItsTasksAlone) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  connect_to(world.database.url(), "read_live")
      ->run(
          "UPDATE tasks SET batch_id = 5 WHERE id IN (101, 103);"
          "UPDATE tasks SET batch_id = 6 WHERE id = 102");
  ExportRows rows(*world.pool, {.project_id = kProject, .batch_id = BatchId{5}});
  rows.rewind(false);
  EXPECT_EQ(walk(rows), "T101:\nT103:\n");
  rows.rewind(true);
  EXPECT_EQ(walk(rows), "T101:\nT103: 1020\n");
  ExportRows some(
      *world.pool,
      {.project_id = kProject, .batch_id = BatchId{5}, .statuses = {TaskStatus::submitted}});
  some.rewind(true);
  EXPECT_EQ(walk(some), "T103: 1020\n");
  ExportRows empty(*world.pool, {.project_id = kProject, .batch_id = BatchId{7}});
  empty.rewind(true);
  EXPECT_EQ(walk(empty), "");
}

TEST(ExportRows, SayWhenTasksHaveStillToFollowTheirBatch) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.settle_tasks = 0;
  fill(world);
  const auto batch = batch_of(100, 3);
  world.append(kProjectShard, {batch[0], batch[1]});
  world.settle();
  EXPECT_TRUE(ExportRows(*world.pool, {kProject}).is_settled());
  const auto blocker = connect_to(world.database.url(), "read_live");
  blocker->run("BEGIN; SELECT FROM tasks WHERE id = 102 FOR UPDATE");
  world.append(kProjectShard, {handed_to(UserId{3})});
  const eventstore::ShardId shard{kProjectShard};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  ASSERT_TRUE(world.barrier.wait(shard, world.log->end(shard), deadline));
  EXPECT_FALSE(ExportRows(*world.pool, {kProject}).is_settled());
  EXPECT_TRUE(ExportRows(*world.pool, {ProjectId{99}}).is_settled());
  blocker->run("ROLLBACK");
  world.settle();
  EXPECT_TRUE(ExportRows(*world.pool, {kProject}).is_settled());
}

TEST(ExportRows, KnowWhenThereIsNoSuchProject) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  ExportRows rows(*world.pool, {ProjectId{99}});
  EXPECT_EQ(rows.project(), std::nullopt);
  rows.rewind(true);
  EXPECT_EQ(walk(rows), "");
}

TEST(ExportRows, StayWholeWhenTheReadModelsAreSwappedMeanwhile) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  ExportRows rows(*world.pool, {kProject});
  rows.rewind(false);
  walk(rows);
  world.rebuild();
  world.append(kProjectShard, {boxes_added(TaskId{101}, 2000, 5)});
  world.settle();
  EXPECT_EQ(ask(world.database.url(), "SELECT annotation_count FROM tasks WHERE id = 101"), "5");
}

}  // namespace
}  // namespace annolog::projections::testing::export_test
