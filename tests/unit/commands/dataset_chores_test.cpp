// What follows from changes of datasets: names freed, items and objects removed, sizes passed on,
// once each, after a crash too.
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "domain/codec/binary.hpp"
#include "domain/codec/events.hpp"
#include "domain/dataset/objects.hpp"
#include "platform/objects/file_store.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::dataset_chores_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(::mkdtemp(name)) {}
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  char name[32] = "/tmp/annolog-chores-XXXXXX";
  fs::path path;
};

struct Scene {
  explicit Scene(ServiceOptions options = {}) : service(with_objects(options)) {
    owner = service.add_user(Role::project_admin);
    dataset = service.add_dataset("Photos", owner);
  }
  ServiceOptions with_objects(ServiceOptions options) {
    options.objects = &objects;
    return options;
  }
  // A ready item whose bytes lie where uploads do.
  ItemId upload(const std::string& name) {
    const std::string md5 = std::string(24, '0') + std::to_string(10'000'000 + ++uploads);
    const auto item =
        service.must<ItemView>(StartUpload{dataset, name, "image/png", 5, std::nullopt}, owner);
    put(item.file_path);
    service.must<ItemView>(CompleteUpload{dataset, item.id, 5, md5, 64, 48}, owner);
    return item.id;
  }
  void put(const std::string& key) const {
    fs::create_directories((folder.path / key).parent_path());
    std::ofstream(folder.path / key) << "bytes";
  }
  bool lies(const std::string& key) const { return fs::exists(folder.path / key); }
  DatasetState state() const {
    const auto shard = commands::shard_of(dataset.value, service.log->shard_count());
    const auto bytes =
        service.log->state(shard)->get(commands::Key(commands::Table::dataset).id(dataset).bytes());
    return bytes ? codec::from_binary<DatasetState>(*bytes) : DatasetState{};
  }
  template <class Condition>
  void wait(const Condition& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it never came";
      std::this_thread::yield();
    }
  }
  // The keys of the state that are left of its items.
  std::size_t keys_left() const {
    std::size_t count = 0;
    for (const auto& shard : service.dump()) {
      for (const auto& [key, value] : shard) {
        count += std::string("EHFRdh").find(key.front()) != std::string::npos ? 1 : 0;
      }
    }
    return count;
  }

  Folder folder;
  platform::FileStore objects{folder.path};
  int uploads = 0;
  Service service;
  Who owner;
  DatasetId dataset;
};

TEST(DatasetChores, a_deleted_dataset_goes_with_all_it_held_a_thousand_items_a_step) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 2500);
  scene.upload("a/b.png");
  scene.put("datasets/" + std::to_string(scene.dataset.value) + "/thumbnails/1.webp");
  scene.put("f0.png");
  EXPECT_EQ(Service::code(scene.service.remove(scene.dataset, scene.owner)), "ok");
  scene.wait([&] { return scene.state().emptied; });
  EXPECT_EQ(scene.service.count_records("items.removed"), 3U);
  EXPECT_EQ(scene.service.count_records("name.freed"), 1U);
  EXPECT_EQ(scene.keys_left(), 0U);
  EXPECT_FALSE(scene.lies(objects_of(scene.dataset)));
  EXPECT_TRUE(scene.lies("f0.png")) << "what was registered in place stays there";
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetChores, its_name_is_free_at_once) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.service.remove(scene.dataset, scene.owner)), "ok");
  const auto again = scene.service.add_dataset("Photos", scene.owner);
  EXPECT_NE(again, scene.dataset);
  scene.wait([&] { return scene.state().emptied; });
  EXPECT_EQ(Service::code(scene.service.create(
                CreateDataset{{}, "Photos", "", DataType::image, scene.owner.id}, scene.owner)),
            "NAME_TAKEN");
}

TEST(DatasetChores, a_retry_of_a_removal_is_told_the_same) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.service.remove(scene.dataset, scene.owner, "key")), "ok");
  const auto again = scene.service.remove(scene.dataset, scene.owner, "key");
  EXPECT_EQ(Service::code(again), "ok");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::code(scene.service.remove(scene.dataset, scene.owner)), "NOT_FOUND");
  EXPECT_EQ(scene.service.count_records("dataset.deleted"), 1U);
}

TEST(DatasetChores, a_restart_in_the_middle_goes_on) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 1500);
  scene.upload("a.png");
  scene.service.restart_without_chores();
  // Deleted, but the name was not freed before the crash, and some items went.
  scene.service.call(DeleteDataset{scene.dataset, {}}, scene.owner);
  const auto chores = scene.service.must<commands::DatasetChores>(
      commands::ReadDatasetChores{scene.dataset, ""}, kSystem);
  EXPECT_TRUE(chores.deleted);
  ASSERT_EQ(chores.doomed.size(), commands::DatasetChores::kItemsMax);
  scene.service.call(RemoveItems{scene.dataset, {chores.doomed[0], chores.doomed[1]}}, kSystem);
  EXPECT_TRUE(scene.lies(objects_of(scene.dataset)));
  scene.service.restart();
  scene.wait([&] { return scene.state().emptied; });
  EXPECT_EQ(scene.keys_left(), 0U);
  EXPECT_FALSE(scene.lies(objects_of(scene.dataset)));
  EXPECT_EQ(scene.service.count_records("name.freed"), 1U);
  EXPECT_NE(scene.service.add_dataset("Photos", scene.owner), scene.dataset);
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetChores, a_deleted_item_goes_with_its_objects_and_may_come_again) {
  Scene scene;
  const ItemId item = scene.upload("a.png");
  const ItemId other = scene.upload("b.png");
  scene.put(thumbnail_key_of(scene.dataset, item));
  EXPECT_EQ(Service::code(scene.service.call(DeleteItem{scene.dataset, item}, scene.owner)), "ok");
  scene.wait([&] { return scene.service.count_records("items.removed") == 1; });
  EXPECT_FALSE(scene.lies(objects_of(scene.dataset, item)));
  EXPECT_FALSE(scene.lies(thumbnail_key_of(scene.dataset, item)));
  EXPECT_TRUE(scene.lies(objects_of(scene.dataset, other) + "/b.png"));
  EXPECT_EQ(scene.state().item_count, 1);
  const auto again = scene.service.must<ItemView>(
      StartUpload{scene.dataset, "a.png", "image/png", 5, std::nullopt}, scene.owner);
  EXPECT_NE(again.id, item);
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetChores, whether_an_item_is_there_is_told_at_once) {
  Scene scene;
  const ItemId item = scene.upload("a.png");
  const ItemId other = scene.upload("b.png");
  const auto read = [&](DatasetId dataset, ItemId id) {
    return Service::code(scene.service.call(commands::ReadItem{dataset, id}, kSystem));
  };
  EXPECT_EQ(read(scene.dataset, item), "ok");
  EXPECT_EQ(read(DatasetId{scene.dataset.value + 1000}, item), "NOT_FOUND");
  scene.service.call(DeleteItem{scene.dataset, item}, scene.owner);
  EXPECT_EQ(read(scene.dataset, item), "NOT_FOUND");
  EXPECT_EQ(read(scene.dataset, other), "ok");
  scene.service.restart_without_chores();  // its items are not removed yet
  scene.service.call(DeleteDataset{scene.dataset, {}}, scene.owner);
  EXPECT_EQ(read(scene.dataset, other), "NOT_FOUND");
}

TEST(DatasetChores, an_item_registered_in_place_may_be_registered_again_at_once) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 1);
  const auto chores = [&](const DatasetId dataset) {
    return scene.service.must<commands::DatasetChores>(commands::ReadDatasetChores{dataset, ""},
                                                       kSystem);
  };
  std::optional<ItemId> item;
  for (const auto& record : scene.service.records()) {
    if (record.headers.type != "items.registered") continue;
    const auto event =
        codec::decode_event(record.headers.type, record.headers.schema_version, record.data);
    item = std::get<ItemsRegistered>(event).items.front().item_id;
  }
  ASSERT_TRUE(item);
  EXPECT_EQ(Service::code(scene.service.call(DeleteItem{scene.dataset, *item}, scene.owner)), "ok");
  scene.service.add_items(scene.dataset, scene.owner, 1);
  scene.wait([&] { return scene.service.count_records("items.removed") == 1; });
  EXPECT_TRUE(chores(scene.dataset).doomed.empty());
  EXPECT_EQ(scene.state().item_count, 1);
  RegisterItems wish{scene.dataset, {{0, "f0.png", "f0.png", "image/png", 10, {}, {}, {}, {"{}"}}}};
  const auto reply = scene.service.must<commands::ItemsRegisteredReply>(wish, scene.owner);
  EXPECT_EQ(reply.duplicates.size(), 1U) << "the path leads to the second item";
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetChores, a_link_gets_over_numbers_of_items_that_are_gone) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  std::vector<ItemId> items;
  for (const char* name : {"a.png", "b.png", "c.png"}) items.push_back(scene.upload(name));
  for (const ItemId item : {items[0], items[2]}) {
    scene.service.call(DeleteItem{scene.dataset, item}, scene.owner);
  }
  EXPECT_EQ(
      scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, project}, scene.owner)
          .created_tasks,
      1);
  scene.service.catch_up(scene.dataset, project);
  EXPECT_EQ(scene.service.count_records("tasks.created"), 1U);
  const auto empty = scene.service.add_dataset("Empty", scene.owner);
  scene.service.link(empty, project, scene.owner);
}

TEST(DatasetChores, a_link_to_a_dataset_whose_items_are_all_gone_catches_up) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.service.call(DeleteItem{scene.dataset, scene.upload("a.png")}, scene.owner);
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, project}, scene.owner);
  scene.service.catch_up(scene.dataset, project);
  EXPECT_EQ(scene.service.count_records("tasks.created"), 0U);
}

struct Sizes : Scene {
  Sizes() {
    for (const char* name : {"Streets", "Rivers"}) {
      projects.push_back(service.add_project(name, owner));
    }
    RegisterItems wish{dataset, {}};
    for (int i = 0; i < 3; ++i) {
      const std::string name = "f" + std::to_string(i) + ".png";
      wish.items.push_back({i, name, name, "", 10, std::nullopt, {}, {}, {"{}"}});
    }
    service.must<commands::ItemsRegisteredReply>(wish, owner);
    for (const auto& record : service.records()) {
      if (record.headers.type != "items.registered") continue;
      const auto event =
          codec::decode_event(record.headers.type, record.headers.schema_version, record.data);
      for (const auto& item : std::get<ItemsRegistered>(event).items) items.push_back(item.item_id);
    }
  }
  MeasureItems measure() const {
    MeasureItems command{dataset, {}, {}, std::nullopt};
    for (const ItemId item : items) command.sizes.push_back({item, 64, 48});
    return command;
  }
  std::vector<ProjectId> projects;
  std::vector<ItemId> items;
};

TEST(DatasetChores, tasks_of_all_linked_projects_learn_the_sizes) {
  Sizes scene;
  for (const ProjectId project : scene.projects) {
    scene.service.link(scene.dataset, project, scene.owner);
  }
  const auto first = scene.service.must<commands::ItemsMeasured>(scene.measure(), scene.owner);
  EXPECT_EQ(first.updated, 3);
  scene.wait([&] { return scene.service.count_records("dataset.sizes_passed_on") == 2; });
  EXPECT_EQ(scene.service.count_records("task.measured"), 6U);
  const auto again = scene.service.must<commands::ItemsMeasured>(scene.measure(), scene.owner);
  EXPECT_EQ(again.updated, 0);
  EXPECT_EQ(again.processed, 3);
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetChores, sizes_that_a_crash_left_behind_are_passed_on) {
  Sizes scene;
  scene.service.link(scene.dataset, scene.projects[0], scene.owner);
  scene.service.restart_without_chores();
  scene.service.must<commands::ItemsMeasured>(scene.measure(), scene.owner);
  scene.service.restart();
  scene.wait([&] { return scene.service.count_records("dataset.sizes_passed_on") == 1; });
  EXPECT_EQ(scene.service.count_records("task.measured"), 3U);
}

TEST(DatasetChores, sizes_wait_for_tasks_that_are_about_to_be_made) {
  Sizes scene;
  scene.service.restart_without_links();
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.projects[0]},
                                          scene.owner);
  scene.service.must<commands::ItemsMeasured>(scene.measure(), scene.owner);
  const auto chores = scene.service.must<commands::DatasetChores>(
      commands::ReadDatasetChores{scene.dataset, ""}, kSystem);
  EXPECT_TRUE(chores.waiting);
  EXPECT_TRUE(chores.passed_on.empty());
  scene.service.start_links();
  scene.wait([&] { return scene.service.count_records("dataset.sizes_passed_on") == 1; });
  EXPECT_EQ(scene.service.count_records("tasks.created"), 1U);
}

TEST(DatasetNames, a_dataset_is_renamed_among_its_creators_names) {
  Scene scene;
  const auto other = scene.service.add_dataset("Other", scene.owner);
  EXPECT_EQ(Service::code(scene.service.rename(other, "Photos", scene.owner)), "NAME_TAKEN");
  EXPECT_EQ(Service::code(scene.service.rename(other, "Pictures", scene.owner)), "ok");
  EXPECT_NE(scene.service.add_dataset("Other", scene.owner), other);
  const Who somebody = scene.service.add_user(Role::project_admin);
  EXPECT_EQ(Service::code(scene.service.create(
                CreateDataset{{}, "Pictures", "", DataType::image, somebody.id}, somebody)),
            "ok");
  scene.service.expect_refold_gives_the_same();
}

TEST(DatasetNames, a_rename_that_a_crash_interrupted_is_confirmed_or_released) {
  Scene scene;
  const auto wish = [&](const std::string& name) {
    UpdateDataset made;
    made.dataset_id = scene.dataset;
    made.creator_id = scene.owner.id;
    made.name = name;
    return made;
  };
  const auto reserve = [&](const std::string& name) {
    scene.service.must<NameReserved>(
        ReserveName{NameKind::dataset, scene.owner.id.value, scene.dataset.value, name, {"{}"}},
        scene.owner);
  };
  const auto settle = [&] {
    scene.service.restart();
    scene.wait([&] { return commands::pending_names(*scene.service.log).empty(); });
  };
  reserve("New");
  settle();
  EXPECT_EQ(scene.service.count_records("name.released"), 1U);
  reserve("New");
  scene.service.must<DatasetView>(wish("New"), scene.owner);
  settle();
  EXPECT_EQ(scene.service.count_records("name.released"), 1U);
  EXPECT_NE(scene.service.add_dataset("Photos", scene.owner), scene.dataset);
}

}  // namespace
}  // namespace annolog::testing::dataset_chores_test
