// Many new rows are copied, few are inserted (projections/pg/insert_rows.hpp): both ways must leave
// the same rows. A projector that takes one record at a time inserts; a rebuild takes them all.
#include <gtest/gtest.h>

#include "projections/pg/insert_rows.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::copied_rows_test {
namespace {

constexpr std::int64_t kEach = kRowsToCopy * 2 / 3;  // of one record: inserted
constexpr std::int64_t kAll = 3 * kEach;             // of one batch: copied

std::vector<Event> item_events() {
  std::vector<Event> events;
  for (std::int64_t n = 0; n < kAll; ++n) {
    if (n % kEach == 0) events.emplace_back(ItemsRegistered{kDataset, {}});
    RegisteredItem item{.item_id = ItemId{200 + n},
                        .ready_number = n + 1,
                        .file_name = "ü\t\\" + std::to_string(n),
                        .file_path = "k/" + std::to_string(n),
                        .file_type = "image/png",
                        .file_size = n,
                        .content_hash = {},
                        .width = {},
                        .height = {},
                        .metadata = {R"({"n":1})"}};
    if (n % 2 == 0) {
      item.content_hash = std::string(32, 'a');
      item.width = n;
      item.height = 480;
    }
    std::get<ItemsRegistered>(events.back()).items.push_back(item);
  }
  return events;
}

std::vector<Event> project_events() {
  std::vector<Event> events{project_created()};
  for (std::int64_t n = 0; n < kAll; n += kEach) events.emplace_back(tasks_created(100 + n, kEach));
  for (std::int64_t n = 0; n < kAll; ++n) {
    const TaskId task{100 + n};
    auto added = boxes_added(task, 1000 + 2 * n, 2);
    if (n % 3 == 0) {
      added.annotations[0].group_id = n;
      added.annotations[0].confidence = 1.0 / 3;
      added.annotations[0].parent_prediction_id = PredictionId{n + 1};
      events.emplace_back(TaskLocked{kProject, task, UserId{7}, {kStartMs + n}});
    }
    events.emplace_back(std::move(added));
    if (n % 5 == 0) events.emplace_back(TaskSubmitted{kProject, task, UserId{7}});
    if (n % 7 == 0) {
      events.emplace_back(
          AnnotationDeleted{kProject, task, AnnotationId{1000 + 2 * n}, ClassId{1}, 2, false});
    }
  }
  return events;
}

TEST(CopiedRows, AreThoseThatAreInserted) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(1);
  world.append(0, {user_created(7, Role::super_admin, "Ada")});
  world.append(kDatasetShard, {dataset_created(), DatasetLinked{kDataset, kProject}});
  world.append(kDatasetShard, item_events());
  world.append(kProjectShard, project_events());
  world.start();
  world.settle();
  world.stop();
  const std::string inserted = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), inserted);
}

TEST(CopiedRows, AreHalvedUntilTheOneThatIsRefusedIsFound) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(0, {user_created(7, Role::super_admin, "Ada")});
  world.append(kDatasetShard, {dataset_created()});
  auto events = item_events();
  // A row that is there already: the second registration of the item must go, and only it.
  ItemsRegistered again{kDataset, {std::get<ItemsRegistered>(events[0]).items[0]}};
  again.items[0].ready_number = kAll + 1;
  events.emplace_back(again);
  world.append(kDatasetShard, events);
  world.start();
  world.settle();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM items"), std::to_string(kAll));
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annolog.parked_events"), "1");
}

}  // namespace
}  // namespace annolog::projections::testing::copied_rows_test
