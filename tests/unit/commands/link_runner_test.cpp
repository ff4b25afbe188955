// Items of linked datasets become tasks: now, later, in windows, after a restart, once each.
#include <set>
#include <thread>

#include "domain/codec/events.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::link_runner_test {
namespace {

constexpr std::size_t kWindow = commands::ReadLinkWindow::kItemsMax;

struct Scene {
  explicit Scene(ServiceOptions options = {}) : service(options) {
    owner = service.add_user(Role::project_admin);
    project = service.add_project("Streets", owner);
    dataset = service.add_dataset("Photos", owner);
  }
  std::size_t task_count() const {
    std::set<std::int64_t> items, ids, numbers;
    std::size_t count = 0;
    for (const auto& record : service.records()) {
      if (record.headers.type != "tasks.created") continue;
      const auto event =
          codec::decode_event(record.headers.type, record.headers.schema_version, record.data);
      for (const auto& task : std::get<TasksCreated>(event).tasks) {
        ++count;
        EXPECT_TRUE(items.insert(task.item_id.value).second) << "an item became a task twice";
        EXPECT_TRUE(ids.insert(task.task_id.value).second);
        EXPECT_TRUE(numbers.insert(task.number).second);
      }
    }
    EXPECT_TRUE(numbers.empty() || *numbers.rbegin() == static_cast<std::int64_t>(count));
    return count;
  }

  Service service;
  Who owner;
  ProjectId project;
  DatasetId dataset;
};

TEST(LinkRunner, two_thousand_five_hundred_items_in_windows) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 2500);
  const auto made = scene.service.link(scene.dataset, scene.project, scene.owner);
  EXPECT_EQ(made.created_tasks, 2500);
  EXPECT_EQ(made.existing_tasks, 0);
  EXPECT_EQ(scene.task_count(), 2500U);
  EXPECT_EQ(scene.service.count_records("tasks.created"),
            2500U / commands::LinkRunner::kTasksOfAStep);
  scene.service.expect_refold_gives_the_same();
}

TEST(LinkRunner, items_that_come_later_become_tasks_by_themselves) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 2, "a");
  scene.service.link(scene.dataset, scene.project, scene.owner);
  scene.service.add_items(scene.dataset, scene.owner, 3, "b");
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.task_count(), 5U);
}

TEST(LinkRunner, linking_again_makes_nothing_new) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 4);
  EXPECT_EQ(scene.service.link(scene.dataset, scene.project, scene.owner).created_tasks, 4);
  EXPECT_EQ(scene.service.link(scene.dataset, scene.project, scene.owner).created_tasks, 0);
  EXPECT_EQ(scene.task_count(), 4U);
  EXPECT_EQ(scene.service.count_records("dataset.linked"), 1U);
}

TEST(LinkRunner, a_link_of_nothing_catches_up_at_once) {
  Scene scene;
  EXPECT_EQ(scene.service.link(scene.dataset, scene.project, scene.owner).created_tasks, 0);
}

TEST(LinkRunner, a_restart_in_the_middle_goes_on) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 2500);
  scene.service.restart_without_links();
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.project}, scene.owner);
  // The first window's tasks were made, but the link was not moved on before the crash.
  const auto window = scene.service.must<commands::LinkWindow>(
      commands::ReadLinkWindow{scene.dataset, scene.project, 0}, kSystem);
  ASSERT_EQ(window.items.size(), kWindow);
  EXPECT_EQ(window.last_number, std::int64_t{kWindow});
  scene.service.must<commands::TasksMade>(CreateTasks{scene.project, scene.dataset, window.items},
                                          kSystem);
  scene.service.restart();
  const auto made = scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(made.created_tasks, 2500);
  EXPECT_EQ(scene.task_count(), 2500U);
  scene.service.expect_refold_gives_the_same();
}

TEST(LinkRunner, what_is_given_away_is_left_alone_until_it_comes_back) {
  Scene scene;
  const auto shard = commands::shard_of(scene.dataset.value, scene.service.log->shard_count());
  scene.service.runner->disown(shard);
  scene.service.add_items(scene.dataset, scene.owner, 30);
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.project}, scene.owner);
  scene.service.runner->disown(shard);
  scene.service.runner->own(shard);
  EXPECT_EQ(scene.service.catch_up(scene.dataset, scene.project).created_tasks, 30);
  EXPECT_EQ(scene.task_count(), 30U);
}

TEST(LinkRunner, how_far_a_link_has_come_is_told_to_whoever_asks) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 3);
  EXPECT_EQ(
      Service::code(scene.service.call(commands::ReadLink{scene.dataset, scene.project}, kSystem)),
      "NOT_FOUND");
  scene.service.link(scene.dataset, scene.project, scene.owner);
  const auto at = scene.service.must<commands::LinkProgress>(
      commands::ReadLink{scene.dataset, scene.project}, kSystem);
  EXPECT_EQ(at.items, 3);
  EXPECT_EQ(at.done, 3);
}

TEST(LinkRunner, progress_is_marked_every_ten_windows_and_at_the_end) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 25 * kWindow);
  scene.service.link(scene.dataset, scene.project, scene.owner);
  EXPECT_EQ(scene.task_count(), 25U * kWindow);
  EXPECT_EQ(scene.service.count_records("dataset.link_advanced"), 3U);
}

TEST(LinkRunner, one_dataset_in_two_projects) {
  Scene scene;
  const auto second = scene.service.add_project("Rivers", scene.owner);
  scene.service.add_items(scene.dataset, scene.owner, 3);
  EXPECT_EQ(scene.service.link(scene.dataset, scene.project, scene.owner).created_tasks, 3);
  EXPECT_EQ(scene.service.link(scene.dataset, second, scene.owner).created_tasks, 3);
  EXPECT_EQ(scene.service.count_records("tasks.created"), 2U);
}

TEST(LinkRunner, many_links_at_once_while_their_items_come) {
  Scene scene;
  constexpr int kLinks = 24;
  std::vector<DatasetId> datasets;
  for (int i = 0; i < kLinks; ++i) {
    datasets.push_back(scene.service.add_dataset("Photos " + std::to_string(i), scene.owner));
    scene.service.add_items(datasets.back(), scene.owner, 30, "a");
    scene.service.must<commands::TasksMade>(LinkDataset{datasets.back(), scene.project},
                                            scene.owner);
    scene.service.add_items(datasets.back(), scene.owner, 20, "b");
  }
  for (const DatasetId dataset : datasets) scene.service.catch_up(dataset, scene.project);
  EXPECT_EQ(scene.task_count(), kLinks * 50U);
  scene.service.expect_refold_gives_the_same();
}

TEST(LinkRunner, bulk_items_that_are_there_already_are_named) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 2);
  RegisterItems wish{scene.dataset,
                     {{0, "f1.png", "f1.png", "image/png", 10, {}, {}, {}, {"{}"}},
                      {1, "new.png", "new.png", "image/png", 10, {}, {}, {}, {"{}"}}}};
  const auto reply = scene.service.must<commands::ItemsRegisteredReply>(wish, scene.owner);
  EXPECT_EQ(reply.created, 1);
  ASSERT_EQ(reply.duplicates.size(), 1U);
  EXPECT_EQ(reply.duplicates[0].index, 0);
}

TEST(LinkRunner, an_uploaded_item_becomes_a_task_when_it_is_ready) {
  Scene scene;
  scene.service.link(scene.dataset, scene.project, scene.owner);
  const std::string md5(32, 'a');
  const auto item = scene.service.must<ItemView>(
      StartUpload{scene.dataset, "a.png", "image/png", 5, md5}, scene.owner);
  EXPECT_EQ(item.status, ItemStatus::pending);
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.task_count(), 0U);
  const CompleteUpload complete{scene.dataset, item.id, 5, md5, 64, 48};
  EXPECT_EQ(scene.service.must<ItemView>(complete, scene.owner).status, ItemStatus::ready);
  EXPECT_EQ(scene.service.must<ItemView>(complete, scene.owner).status, ItemStatus::ready);
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.task_count(), 1U);
  EXPECT_EQ(Service::code(scene.service.call(
                StartUpload{scene.dataset, "b.png", "image/png", 5, md5}, scene.owner)),
            "DUPLICATE");
  scene.service.expect_refold_gives_the_same();
}

}  // namespace
}  // namespace annolog::testing::link_runner_test
