// What is kept of the past: the rows, the moments they give back, a
// rebuild, and the end of a project.
#include <algorithm>

#include <gtest/gtest.h>

#include "domain/codec/domain_json.hpp"
#include "tests/integration/projections/past.hpp"
#include "tests/integration/projections/samples.hpp"

namespace annolog::projections::testing::history_test {
namespace {

constexpr TaskId kFirst{100}, kSecond{101}, kLate{150};
constexpr BatchId kNight{60}, kDay{61};

BatchCreated founded(BatchId id, std::optional<UserId> annotator) {
  return {kProject, id, id.value - 59, "a batch", annotator, std::nullopt};
}
BatchAssigned given_to(BatchId id, UserId annotator) {
  return {kProject, id, annotator, std::nullopt, true, false};
}
BatchTasksAdded joined(BatchId id, std::vector<TaskId> tasks) {
  return {kProject, id, UserId{8}, std::nullopt, std::move(tasks)};
}

// A second an append; project 5 has things of the same kind.
void fill(World& world) {
  std::int64_t at_ms = kStartMs;
  const auto append = [&](const std::vector<Event>& events, std::int64_t actor = 7) {
    world.append(kProjectShard, events, {actor, at_ms});
    at_ms += 1000;
  };
  append({project_created(), project_created(ProjectId{5}), tasks_created(100, 2)});
  append({founded(kNight, UserId{8}), founded(kDay, std::nullopt)});
  append({joined(kNight, {kFirst, kSecond})});
  append({TaskTaken{kProject, kFirst, UserId{8}, {kStartMs + 9000}}}, 8);
  append({boxes_added(kFirst, 1000, 2), TaskSubmitted{kProject, kFirst, UserId{8}}}, 8);
  append({given_to(kNight, UserId{9}), given_to(kDay, UserId{9}),
          BatchesChanged{kProject, BatchesAction::reassigned, {kNight}, {kDay}, {}}});
  append({tasks_created(150, 3), tasks_created(500, 2, ProjectId{5}),
          TaskLocked{ProjectId{5}, TaskId{500}, UserId{7}, {kStartMs}}});
  append({BatchTasksRemoved{kProject, kNight, {kSecond}}});
}

class History : public ::testing::TestWithParam<std::size_t> {};

TEST_P(History, GivesBackEveryMomentByTimeAndByPosition) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  EXPECT_EQ(past_of(world, kFirst, {.log_offset = 2}).task.version, 0);
  EXPECT_EQ(past_of(world, kFirst, {.log_offset = 3}).task.version, 1);
  Until before;
  before.at = {kStartMs - 1};
  EXPECT_EQ(past_of(world, kFirst, before).task.version, 0);
  Until then;
  then.at = {kStartMs + 3000};
  EXPECT_EQ(past_of(world, kFirst, then).task.status, TaskStatus::in_progress);
  EXPECT_TRUE(past_of(world, kFirst, then).annotations.empty());
  then.at = {kStartMs + 4000};
  EXPECT_EQ(past_of(world, kFirst, then).task.status, TaskStatus::submitted);
  EXPECT_EQ(past_of(world, kFirst, then).annotations.size(), 2U);
  EXPECT_EQ(past_of(world, kSecond, then).task.assignee_id, UserId{8});
  EXPECT_EQ(past_of(world, kSecond).task.assignee_id, UserId{9}) << "the batch was given away";
  EXPECT_EQ(past_of(world, kSecond).task.batch_id, std::nullopt);
  EXPECT_EQ(past_of(world, kLate).task.number, 51);
  EXPECT_EQ(past_of(world, TaskId{152}).task.created_at.ms, kStartMs + 6000);
  EXPECT_EQ(past_of(world, TaskId{500}).task.version, 2);
}

TEST_P(History, EqualsTheRowOfTheTask) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  for (const TaskId id : {kFirst, kSecond, kLate, TaskId{500}, TaskId{501}}) {
    const auto row = TaskQueries(*world.pool).find(id, {0});
    ASSERT_TRUE(row);
    EXPECT_EQ(codec::to_json_text(to_view(past_of(world, id).task, {0})),
              codec::to_json_text(*row));
  }
}

TEST_P(History, ATaskThatWasMeasuredLaterHadNoSize) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  auto births = tasks_created(100, 2);
  for (NewTask& task : births.tasks) task.image_width = task.image_height = std::nullopt;
  world.append(kProjectShard, {project_created(), births});
  world.append(kProjectShard, {TaskMeasured{kProject, kFirst, 640, 480}}, {0, kStartMs + 1});
  world.start();
  world.settle();
  EXPECT_EQ(past_of(world, kFirst).task.image_width, 640);
  EXPECT_EQ(past_of(world, kFirst, {.log_offset = 2}).task.image_width, std::nullopt);
  EXPECT_EQ(past_of(world, kSecond).task.image_height, std::nullopt);
}

TEST_P(History, KnowsTheNamesOfClasses) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  const auto names = HistoryQueries(*world.pool).class_names(kProject);
  EXPECT_EQ(names.name(ClassId{1}), "car");
  EXPECT_EQ(names.name(ClassId{2}), "dog");
  EXPECT_EQ(names.name(ClassId{3}), "");
}

TEST_P(History, KnowsWhatClassesWereCalledAtEachMoment) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  const auto rename = [](const char* from, const char* to) {
    return ProjectClassRenamed{kProject, ClassId{1}, from, to};
  };
  world.append(kProjectShard, {project_created()}, {1, kStartMs});
  world.append(kProjectShard, {rename("car", "auto")}, {1, kStartMs + 10});
  ProjectClassesReplaced same{kProject, project_created().classes};
  same.classes.live[0].name = "auto";
  world.append(kProjectShard, {same, rename("auto", "wagon")}, {1, kStartMs + 20});
  world.start();
  world.settle();
  const auto names = HistoryQueries(*world.pool).class_names(kProject);
  EXPECT_EQ(names.name(ClassId{1}), "wagon");
  EXPECT_EQ(names.name(ClassId{1}, {.log_offset = 1}), "car");
  EXPECT_EQ(names.name(ClassId{1}, {.log_offset = 3}), "auto");
  EXPECT_EQ(names.name(ClassId{1}, {.at = {kStartMs + 19}}), "auto");
  EXPECT_EQ(names.name(ClassId{1}, {.at = {kStartMs - 1}}), "");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM class_namings WHERE class_id = 1"),
            "3");  // none for what kept its name
}

TEST_P(History, ARebuildGivesTheSameRows) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  world.stop();
  const std::string live = world.dump();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM task_events"), "7");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM task_births"), "3");
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

TEST_P(History, RemovedTasksLeaveNone) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.append(kProjectShard, {TasksRemoved{kProject, kDataset, {kFirst, TaskId{151}}}});
  world.start();
  world.settle();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM task_events WHERE task_id = 100"), "0");
  EXPECT_EQ(past_of(world, kFirst).task.version, 0);
  EXPECT_GT(past_of(world, kSecond).task.version, 1) << "born by the same record";
  EXPECT_EQ(past_of(world, TaskId{152}).task.version, 1);
}

TEST_P(History, ADeletedProjectLeavesNone) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.append(kProjectShard, {ProjectDeleted{kProject}});
  world.start();
  world.settle();
  for (const char* table : {"task_events", "task_births", "batch_events"}) {
    const std::string count = std::string("SELECT count(*) FROM ") + table;
    EXPECT_EQ(ask(world.database.url(), count + " WHERE project_id = 1"), "0") << table;
  }
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM task_events"), "1");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM task_births"), "1");
  const std::string live = world.dump();
  world.stop();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, History, ::testing::Values(1, 3, 5000));

// A change of the annotation that boxes_added() makes first.
AnnotationUpdated changed(std::int64_t version, const Geometry& geometry) {
  return {.project_id = kProject,
          .task_id = kFirst,
          .annotation_id = AnnotationId{1000},
          .version = version,
          .class_id = ClassId{1},
          .class_name = "car",
          .geometry = geometry,
          .attributes = {},
          .confidence = std::nullopt,
          .group_id = std::nullopt,
          .reviewer_edit = false};
}

// More events than one slice has rows, and events of which a slice holds few.
TEST(LongHistory, IsToldInOrderWhateverItsLength) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  std::int64_t version = 1;
  std::vector<Event> many;
  for (int i = 0; i < 2'100; ++i) many.push_back(changed(++version, Bbox{0, 0, 1, 0.5}));
  world.append(kProjectShard, many, {8, kStartMs + 20'000});
  world.append(kProjectShard, {given_to(kNight, UserId{11})}, {7, kStartMs + 20'001});
  const Geometry big = Polygon{std::vector<Point>(60'000, Point{0.123456789012, 0.25})};
  for (int i = 0; i < 7; ++i) {
    world.append(kProjectShard, {changed(++version, big)}, {8, kStartMs + 30'000 + i});
  }
  world.start();
  world.settle();
  const auto task = TaskQueries(*world.pool).find(kFirst, {0});
  ASSERT_TRUE(task);
  std::vector<std::int64_t> positions;
  TaskPast past;
  const auto classes =
      HistoryQueries(*world.pool).of_task(*task, {}, [&](const PastEvent& event, const auto&) {
        positions.push_back(event.position);
        evolve(past, kFirst, event);
        return true;
      });
  ASSERT_TRUE(classes);
  EXPECT_EQ(classes->name(ClassId{1}), "car");
  EXPECT_EQ(std::ranges::adjacent_find(positions, std::ranges::greater_equal{}), positions.end());
  EXPECT_EQ(past.annotations.at(AnnotationId{1000}).version, version);
  EXPECT_EQ(past.annotations.at(AnnotationId{1000}).geometry, big);
  EXPECT_EQ(codec::to_json_text(to_view(past.task, {0})), codec::to_json_text(*task));
}

TEST(LongHistory, IsToldNoFurtherThanItIsListenedTo) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world);
  world.start();
  world.settle();
  const auto task = TaskQueries(*world.pool).find(kFirst, {0});
  ASSERT_TRUE(task);
  for (const int enough : {1, 2, 3}) {
    int told = 0;
    HistoryQueries(*world.pool).of_task(*task, {}, [&](const PastEvent&, const auto&) {
      return ++told < enough;
    });
    EXPECT_EQ(told, enough);
  }
  EXPECT_FALSE(
      HistoryQueries(*world.pool).of_task(*task, {.log_offset = 2}, [](const auto&, const auto&) {
        ADD_FAILURE() << "it was not there yet";
        return true;
      }));
}

}  // namespace
}  // namespace annolog::projections::testing::history_test
