// The filters and orders of the task list, alone, together, and page by page.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::task_filters_test {
namespace {

constexpr Timestamp kNow{kStartMs};
constexpr ProjectId kOther{5};
using Ids = std::vector<std::int64_t>;

TasksCreated named_tasks(std::int64_t first, const std::vector<std::string>& names,
                         ProjectId project = kProject) {
  auto event = tasks_created(first, static_cast<std::int64_t>(names.size()), project);
  for (std::size_t i = 0; i < names.size(); ++i) {
    event.tasks[i].number = static_cast<std::int64_t>(i) + 1;
    event.tasks[i].file_name = names[i];
  }
  return event;
}

TaskAnnotationsAdded boxes(TaskId task, const std::vector<NewAnnotation>& annotations) {
  return {kProject, task, annotations};
}

// Page by page; fails when a page is too long.
Ids walk(World& world, const TaskFilter& filter, std::int64_t limit = 2) {
  const TaskQueries tasks(*world.pool);
  Ids seen;
  std::optional<TimeCursor> after;
  do {
    const auto page = tasks.list(filter, after, limit, kNow);
    const auto keys = ask(*world.pool, TaskQueries::list_keys(filter, after, limit));
    EXPECT_LE(page.items.size(), static_cast<std::size_t>(limit));
    EXPECT_EQ(page.items.size(), keys.items.size());
    EXPECT_EQ(page.next.has_value(), keys.next.has_value());
    for (const auto& task : page.items) seen.push_back(task.id.value);
    after = page.next;
  } while (after && seen.size() < 10'000);
  return seen;
}

TaskFilter all() { return {.project_id = kProject}; }
TaskFilter with_text(const std::string& text) {
  auto filter = all();
  filter.text = text;
  return filter;
}
TaskFilter with_classes(std::vector<ClassId> classes) {
  auto filter = all();
  filter.classes = std::move(classes);
  return filter;
}

constexpr ClassId kCar{1}, kDog{2};

void start(World& world) {
  world.start();
  world.settle();
}

// All names have the text, every other task has a car; which those are. Leaves the filter with
// both.
Ids expect_text_and_class(World& world, TaskFilter& filter, const Ids& ids) {
  filter.text = "a/";
  EXPECT_EQ(walk(world, filter), ids);
  filter.classes = {kCar};
  Ids cars = ids;
  std::erase_if(cars, [](std::int64_t id) { return id % 2 != 0; });
  EXPECT_EQ(walk(world, filter), cars);
  return cars;
}

TEST(TaskFilters, TextIsPartOfANameOrTheNumber) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard,
               {project_created(),
                named_tasks(100, {"front/Car.jpg", "car_2.jpg", "bus 100%.jpg", "Scarf.png", "ox"}),
                project_created(kOther), named_tasks(500, {"car.jpg"}, kOther)});
  start(world);
  EXPECT_EQ(walk(world, with_text("car")), (Ids{100, 101, 103}));
  EXPECT_EQ(walk(world, with_text("CAR.j")), (Ids{100}));
  EXPECT_EQ(walk(world, with_text("100%")), (Ids{102}));
  EXPECT_EQ(walk(world, with_text("0_%")), (Ids{}));
  EXPECT_EQ(walk(world, with_text("ox")), (Ids{104})) << "where names begin";
  EXPECT_EQ(walk(world, with_text("T-3")), (Ids{102}));
  EXPECT_EQ(walk(world, with_text("t-5")), (Ids{104}));
  EXPECT_EQ(walk(world, with_text("2")), (Ids{101}));
  EXPECT_EQ(walk(world, with_text("T-6")), (Ids{}));
  const TaskQueries tasks(*world.pool);
  const auto page = tasks.list_by_offset(with_text("car"), 2, 1, kNow);
  EXPECT_EQ(page.total, 3);
  ASSERT_EQ(page.items.size(), 2U);
  EXPECT_EQ(page.items[0].id, TaskId{101});
}

TEST(TaskFilters, ClassesFollowDeletionRestoreChangeAndRename) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(
      kProjectShard,
      {project_created(), tasks_created(100, 4), boxes(TaskId{100}, {box(1000, 1), box(1001, 1)}),
       boxes(TaskId{102}, {box(1002, 2)}), boxes(TaskId{103}, {box(1003, 1)})});
  start(world);
  EXPECT_EQ(walk(world, with_classes({kCar})), (Ids{100, 103}));
  EXPECT_EQ(walk(world, with_classes({kDog})), (Ids{102}));
  EXPECT_EQ(walk(world, with_classes({kCar, kDog})), (Ids{100, 102, 103}));
  EXPECT_EQ(walk(world, with_classes({ClassId{3}})), (Ids{}));

  world.append(kProjectShard,
               {AnnotationDeleted{kProject, TaskId{103}, AnnotationId{1003}, kCar, 2, false},
                AnnotationDeleted{kProject, TaskId{100}, AnnotationId{1000}, kCar, 2, false}});
  world.settle();
  EXPECT_EQ(walk(world, with_classes({kCar})), (Ids{100})) << "one of two is left";
  EXPECT_EQ(TaskQueries(*world.pool).list_by_offset(with_classes({kCar, kDog}), 9, 0, kNow).total,
            2);

  AnnotationUpdated changed{.project_id = kProject,
                            .task_id = TaskId{102},
                            .annotation_id = AnnotationId{1002},
                            .version = 2,
                            .class_id = kCar,
                            .class_name = "car",
                            .geometry = Bbox{0, 0, 1, 1},
                            .attributes = {},
                            .confidence = std::nullopt,
                            .group_id = std::nullopt,
                            .reviewer_edit = false};
  world.append(
      kProjectShard,
      {changed, AnnotationRestored{kProject, TaskId{103}, AnnotationId{1003}, kCar, 3, false},
       ProjectClassRenamed{kProject, kCar, "car", "auto"}});
  world.settle();
  EXPECT_EQ(walk(world, with_classes({kCar})), (Ids{100, 102, 103}));
  EXPECT_EQ(walk(world, with_classes({kDog})), (Ids{}));
  world.stop();
  world.rebuild();
  EXPECT_EQ(walk(world, with_classes({kCar})), (Ids{100, 102, 103}));
}

TEST(TaskFilters, ABatchResetKeepsTheAnnotationsAndSoTheirTasks) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  const BatchId batch{60};
  world.append(kProjectShard,
               {project_created(), tasks_created(100, 2),
                BatchCreated{kProject, batch, 1, "Night", UserId{5}, std::nullopt},
                BatchTasksAdded{kProject, batch, UserId{5}, std::nullopt, {TaskId{100}}},
                boxes(TaskId{100}, {box(1000, 1)}),
                BatchReset{kProject, batch, BatchStatus::active, std::nullopt, "start it over"}});
  start(world);
  auto filter = with_classes({kCar});
  filter.batch_id = batch;
  filter.statuses = {TaskStatus::pending};
  EXPECT_EQ(walk(world, filter), (Ids{100}));
}

TEST(TaskFilters, SkippedAndChangedBefore) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 3)});
  world.append(kProjectShard,
               {TaskTaken{kProject, TaskId{101}, UserId{5}, {kNow.ms + 1000}},
                TaskSkipped{kProject, TaskId{101}, UserId{5}, std::nullopt}},
               {5, kStartMs + 5});
  start(world);
  auto filter = all();
  filter.skipped = true;
  EXPECT_EQ(walk(world, filter), (Ids{101}));
  filter.skipped = false;
  EXPECT_EQ(walk(world, filter), (Ids{100, 102}));
  filter.skipped.reset();
  filter.updated_before = Timestamp{kStartMs + 5};
  EXPECT_EQ(walk(world, filter), (Ids{100, 102})) << "the end is left out";
  filter.updated_before = Timestamp{kStartMs + 6};
  filter.updated_since = Timestamp{kStartMs + 5};
  EXPECT_EQ(walk(world, filter), (Ids{101}));
}

TEST(TaskFilters, EveryOrderWalksEachTaskOnce) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 7)});
  // Changed later the smaller the id, two of them at the same time.
  for (std::int64_t i = 0; i < 7; ++i) {
    world.append(kProjectShard, {boxes(TaskId{100 + i}, {box(1000 + i, 1 + i % 2)})},
                 {5, kStartMs + 10 - (i == 3 ? 2 : i)});
  }
  start(world);
  const std::vector<std::pair<TaskOrder, Ids>> orders{
      {TaskOrder::id, {100, 101, 102, 103, 104, 105, 106}},
      {TaskOrder::id_down, {106, 105, 104, 103, 102, 101, 100}},
      {TaskOrder::updated, {106, 105, 104, 102, 103, 101, 100}},
      {TaskOrder::updated_down, {100, 101, 103, 102, 104, 105, 106}}};
  for (const auto& [order, ids] : orders) {
    SCOPED_TRACE(static_cast<int>(order));
    auto filter = all();
    filter.order = order;
    for (const std::int64_t limit : {1, 2, 3, 7, 50}) EXPECT_EQ(walk(world, filter, limit), ids);
    const Ids cars = expect_text_and_class(world, filter, ids);
    const TaskQueries tasks(*world.pool);
    const auto offset = tasks.list_by_offset(filter, 2, 1, kNow);
    EXPECT_EQ(offset.total, static_cast<std::int64_t>(cars.size()));
    ASSERT_EQ(offset.items.size(), 2U);
    EXPECT_EQ(offset.items[0].id.value, cars[1]);
    filter.text.clear();
    filter.classes.clear();
    const std::vector<ProjectId> projects{kProject, kOther};
    const auto across = tasks.list_across(projects, filter, std::nullopt, 3, kNow);
    ASSERT_EQ(across.items.size(), 3U);
    EXPECT_EQ(across.items[0].id.value, ids[0]);
    const auto more = tasks.list_across(projects, filter, across.next, 9, kNow);
    ASSERT_EQ(more.items.size(), 4U);
    EXPECT_EQ(more.items[0].id.value, ids[3]);
  }
}

// One after another pending, taken, submitted; the cars are on every other one.
TEST(TaskFilters, SeveralStatusesAreOneListInEveryOrder) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 9)});
  for (std::int64_t i = 0; i < 9; ++i) {
    std::vector<Event> events{boxes(TaskId{100 + i}, {box(1000 + i, 1 + i % 2)})};
    if (i % 3 > 0) events.push_back(TaskTaken{kProject, TaskId{100 + i}, UserId{5}, kNow});
    if (i % 3 > 1) events.push_back(TaskSubmitted{kProject, TaskId{100 + i}, UserId{5}});
    world.append(kProjectShard, events, {5, kStartMs + 20 - i});
  }
  start(world);
  for (const TaskOrder order :
       {TaskOrder::id, TaskOrder::id_down, TaskOrder::updated, TaskOrder::updated_down}) {
    SCOPED_TRACE(static_cast<int>(order));
    auto filter = all();
    filter.order = order;
    filter.statuses = {TaskStatus::pending, TaskStatus::submitted};
    Ids ids{100, 102, 103, 105, 106, 108};
    if (order == TaskOrder::id_down || order == TaskOrder::updated) std::ranges::reverse(ids);
    for (const std::int64_t limit : {1, 2, 3, 6, 50}) EXPECT_EQ(walk(world, filter, limit), ids);
    const TaskQueries tasks(*world.pool);
    const auto offset = tasks.list_by_offset(filter, 2, 3, kNow);
    EXPECT_EQ(offset.total, 6);
    ASSERT_EQ(offset.items.size(), 2U);
    EXPECT_EQ(offset.items[0].id.value, ids[3]);
    const std::vector<ProjectId> projects{kProject, kOther};
    const auto across = tasks.list_across(projects, filter, std::nullopt, 2, kNow);
    ASSERT_EQ(across.items.size(), 2U);
    EXPECT_EQ(across.items[1].id.value, ids[1]);
    EXPECT_EQ(tasks.list_across(projects, filter, across.next, 9, kNow).items.size(), 4U);
    const Ids cars = expect_text_and_class(world, filter, ids);
    EXPECT_EQ(tasks.list_by_offset(filter, 2, 0, kNow).total, 4);
    filter.text.clear();
    EXPECT_EQ(walk(world, filter), cars);
  }
}

// By offset, for what no counter knows: then the total is the least that there is.
TEST(TaskFilters, AreCountedUpToALimit) {
  ANNOLOG_NEEDS_POSTGRESQL();
  constexpr std::int64_t kMost = TaskQueries::kTotalLimit;
  World world;
  std::vector<Event> events{project_created()};
  for (std::int64_t first = 0; first < kMost + 2; first += 1'001)
    events.emplace_back(
        tasks_created(10'000 + first, std::min<std::int64_t>(kMost + 2 - first, 1'001)));
  world.append(kProjectShard, events);
  start(world);
  const TaskQueries tasks(*world.pool);
  for (const bool by_name : {false, true}) {
    SCOPED_TRACE(by_name);
    auto filter = by_name ? with_text("jpg") : all();
    if (!by_name) filter.updated_since = Timestamp{0};
    auto page = tasks.list_by_offset(filter, 5, 9'998, kNow);
    EXPECT_EQ(page.total, kMost);
    EXPECT_TRUE(page.total_is_least);
    EXPECT_EQ(page.items.size(), 4U);
    filter.updated_before = Timestamp{0};
    page = tasks.list_by_offset(filter, 5, 0, kNow);
    EXPECT_EQ(page.total, 0);
    EXPECT_FALSE(page.total_is_least);
  }
  EXPECT_EQ(tasks.list_by_offset(all(), 5, 0, kNow).total, kMost + 2) << "which counters know";
}

// More tasks than are looked at in order: what is seldom comes from the indexes.
TEST(TaskFilters, FindWhatIsSeldomAmongMany) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back("frame " + std::to_string(10'000 + i));
  names[7] = names[2'500] = names[4'900] = "zebra crossing";
  world.append(kProjectShard,
               {project_created(), named_tasks(10'000, names), boxes(TaskId{10'007}, {box(1, 2)}),
                boxes(TaskId{12'500}, {box(2, 2), box(3, 2)}), boxes(TaskId{14'999}, {box(4, 1)})});
  start(world);
  const Ids zebras{10'007, 12'500, 14'900};
  for (const std::int64_t limit : {1, 2, 3, 50}) {
    EXPECT_EQ(walk(world, with_text("zebra"), limit), zebras);
    EXPECT_EQ(walk(world, with_classes({kDog}), limit), (Ids{10'007, 12'500}));
    EXPECT_EQ(walk(world, with_classes({kDog, kCar}), limit), (Ids{10'007, 12'500, 14'999}));
    auto filter = with_text("zebra");
    filter.classes = {kDog};
    filter.order = TaskOrder::id_down;
    EXPECT_EQ(walk(world, filter, limit), (Ids{12'500, 10'007}));
    filter = with_classes({kDog, kCar});
    for (const bool beside_others : {false, true}) {
      if (beside_others) filter.updated_since = Timestamp{1};  // all tasks
      filter.order = TaskOrder::id;
      EXPECT_EQ(walk(world, filter, limit), (Ids{10'007, 12'500, 14'999}));
      filter.order = TaskOrder::id_down;
      EXPECT_EQ(walk(world, filter, limit), (Ids{14'999, 12'500, 10'007}));
      filter.order = TaskOrder::updated_down;
      EXPECT_EQ(walk(world, filter, limit).size(), 3U);
    }
  }
  EXPECT_EQ(walk(world, with_text("T-4901")), (Ids{14'900}));
  EXPECT_EQ(walk(world, with_text("frame"), 200).size(), 4'997U);
}

TEST(TaskFilters, OffsetsCountWhatIsOftenAndWhatIsSeldom) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  std::vector<Event> events{project_created(), tasks_created(10'000, 2'500)};
  for (std::int64_t i = 0; i < 2'500; ++i) {
    const std::int64_t of_class = i % 1'000 == 999 ? 2 : 1;  // two dogs among cars
    events.emplace_back(
        boxes(TaskId{10'000 + i}, {box(2 * i + 1, of_class), box(2 * i + 2, of_class)}));
  }
  world.append(kProjectShard, events);
  start(world);
  const TaskQueries tasks(*world.pool);
  const auto at = [&](TaskFilter filter, TaskOrder order, std::int64_t offset) {
    filter.order = order;
    const auto page = tasks.list_by_offset(filter, 2, offset, kNow);
    Ids ids{page.total};
    for (const auto& task : page.items) ids.push_back(task.id.value);
    return ids;
  };
  EXPECT_EQ(at(with_classes({kDog}), TaskOrder::id, 0), (Ids{2, 10'999, 11'999}));
  EXPECT_EQ(at(with_classes({kDog}), TaskOrder::id_down, 1), (Ids{2, 10'999}));
  EXPECT_EQ(at(with_classes({kCar}), TaskOrder::id, 2'400), (Ids{2'498, 12'402, 12'403}));
  EXPECT_EQ(at(with_classes({kCar}), TaskOrder::updated, 2'400), (Ids{2'498, 12'402, 12'403}));
  EXPECT_EQ(at(with_classes({kCar, kDog}), TaskOrder::id_down, 2'499), (Ids{2'500, 10'000}));
  EXPECT_EQ(at(with_text("jpg"), TaskOrder::id, 2'499), (Ids{2'500, 12'499}));
  EXPECT_EQ(at(with_text("a/2499."), TaskOrder::id_down, 0), (Ids{1, 12'499}));
}

}  // namespace
}  // namespace annolog::projections::testing::task_filters_test
