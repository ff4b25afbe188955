// What each event of users, projects and datasets does to its rows. (Tasks and annotations:
// task_oracle_test.cpp.)
#include <gtest/gtest.h>

#include "projections/datasets/queries.hpp"
#include "projections/projects/queries.hpp"
#include "projections/queries/directory.hpp"
#include "projections/users/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::effects_test {
namespace {

constexpr Timestamp kAt{kStartMs};
constexpr Timestamp kLater{kStartMs + 5};

TEST(UserEvents, CreateAndSignIn) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  auto with_email = user_created(2, Role::annotator, "Bob");
  with_email.email = Sealed{"key", "sealed:bob@example.org"};
  world.append(0, {user_created(1, Role::super_admin, "Ada"), with_email});
  world.append(0, {UserSignedIn{UserId{1}}}, {1, kLater.ms});
  world.start();
  world.settle();
  const UserQueries users(*world.pool);
  const auto ada = users.find(UserId{1});
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->username, "Ada");
  EXPECT_EQ(ada->name, "Name Ada");
  EXPECT_EQ(ada->role, Role::super_admin);
  EXPECT_EQ(ada->email, std::nullopt);
  EXPECT_EQ(ada->created_at, kAt);
  EXPECT_EQ(ada->last_login_at, kLater);
  EXPECT_EQ(users.find(UserId{2})->email, "bob@example.org");
  EXPECT_EQ(users.find(UserId{3}), std::nullopt);
  EXPECT_EQ(users.list(std::nullopt).size(), 2U);
  EXPECT_EQ(users.list(Role::annotator).size(), 1U);
  const auto credentials = users.find_credentials("digest-Ada");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->user.id, UserId{1});
  EXPECT_EQ(credentials->password_hash, "hash-Ada");
}

TEST(UserEvents, AnErasedPersonHasNoTexts) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  auto event = user_created(1, Role::viewer, "Ada");
  for (Sealed* sealed : {&event.username, &event.name, &event.password_hash}) {
    sealed->base64 = "erased";
  }
  world.append(0, {event});
  world.start();
  world.settle();
  const UserQueries users(*world.pool);
  EXPECT_EQ(users.find(UserId{1})->username, "");
  EXPECT_EQ(users.find_credentials("Ada"), std::nullopt);
  EXPECT_EQ(users.find_credentials(""), std::nullopt);
}

TEST(ProjectEvents, CreateUpdateAndClasses) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  auto created = project_created();
  created.attribute_schema.attributes.emplace_back().key = "occluded";
  world.append(kProjectShard, {created});
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  auto project = projects.find(kProject);
  ASSERT_TRUE(project);
  EXPECT_EQ(project->display_id, "P-1");
  EXPECT_EQ(project->name, created.name);
  EXPECT_EQ(project->classes_config, created.classes.live);
  EXPECT_EQ(project->attribute_schema, created.attribute_schema);
  EXPECT_EQ(project->rendering_config, created.rendering_config);
  EXPECT_EQ(project->version, 1);

  ProjectUpdated update;
  update.project_id = kProject;
  update.name = "Road";
  update.review_required = true;
  update.status = ProjectStatus::archived;
  auto classes = created.classes;
  classes.removed.push_back(classes.live.front());
  classes.live.erase(classes.live.begin());
  classes.live.push_back({ClassId{3}, "bus", "#0000ff", {}});
  world.append(kProjectShard,
               {update, ProjectClassesReplaced{kProject, classes},
                ProjectClassRenamed{kProject, ClassId{2}, "dog", "hound"}},
               {7, kLater.ms});
  world.settle();
  project = projects.find(kProject);
  EXPECT_EQ(project->name, "Road");
  EXPECT_EQ(project->description, created.description);
  EXPECT_TRUE(project->review_required);
  EXPECT_EQ(project->status, ProjectStatus::archived);
  EXPECT_EQ(project->version, 4);
  EXPECT_EQ(project->created_at, kAt);
  EXPECT_EQ(project->updated_at, kLater);
  ASSERT_EQ(project->classes_config.size(), 2U);
  EXPECT_EQ(project->classes_config[0].name, "hound");
  EXPECT_EQ(project->classes_config[1].name, "bus");
  EXPECT_EQ(projects.classes(kProject)->removed, classes.removed);
  EXPECT_EQ(projects.classes(ProjectId{99}), std::nullopt);
}

TEST(ProjectEvents, MembersComeChangeAndGo) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created()});
  world.append(kProjectShard,
               {ProjectMemberAdded{kProject, UserId{2}, Role::viewer},
                ProjectMemberAdded{kProject, UserId{3}, Role::reviewer},
                ProjectMemberRoleChanged{kProject, UserId{2}, Role::viewer, Role::annotator},
                ProjectMemberRemoved{kProject, UserId{3}}},
               {7, kLater.ms});
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  const auto members = projects.members(kProject, UserId{0}, 50).items;
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].user_id, UserId{2});
  EXPECT_EQ(members[0].role, Role::annotator);
  EXPECT_EQ(members[0].added_at, kLater);
  const auto project = projects.find(kProject);
  EXPECT_EQ(project->member_count, 1);
  EXPECT_EQ(project->version, 1) << "members don't change the project itself";
  EXPECT_EQ(project->updated_at, kAt);
}

class DatasetEvents : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DatasetEvents, ItemsLinksAndCounters) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  const ItemId pending{201};
  const ItemId ready{202};
  RegisteredItem registered{ItemId{203}, 2,    "b.jpg", "k/b.jpg", "image/jpeg",
                            30,          "ff", 64,      48,        {R"({"a":1})"}};
  world.append(
      kDatasetShard,
      {dataset_created(),
       ItemUploadStarted{kDataset, pending, "p.jpg", "k/p.jpg", "image/jpeg", 5, {}},
       ItemUploadStarted{kDataset, ready, "a.jpg", "k/a.jpg", "image/jpeg", 5, "aa"},
       ItemReady{kDataset, ready, 1, 7, "ab", 640, 480}, ItemsRegistered{kDataset, {registered}}});
  world.append(kDatasetShard,
               {DatasetLinked{kDataset, kProject}, DatasetLinkAdvanced{kDataset, kProject, 2}},
               {7, kLater.ms});
  world.append(kProjectShard, {project_created(), tasks_created(100, 2)});
  world.start();
  world.settle();
  const DatasetQueries datasets(*world.pool);
  const auto dataset = datasets.find(kDataset);
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->items_count, 2);
  EXPECT_EQ(dataset->total_size, 37);
  EXPECT_EQ(dataset->linked_project_count, 1);
  EXPECT_EQ(dataset->version, 2);
  EXPECT_EQ(dataset->updated_at, kLater);
  const auto item = datasets.find_item(ready);
  ASSERT_TRUE(item);
  EXPECT_EQ(item->status, ItemStatus::ready);
  EXPECT_EQ(item->file_size, 7);
  EXPECT_EQ(item->content_hash, "ab");
  EXPECT_EQ(item->width, 640);
  EXPECT_EQ(datasets.find_item(pending)->status, ItemStatus::pending);
  EXPECT_EQ(datasets.find_item(ItemId{203})->metadata.text, R"({"a":1})");
  const auto linked = datasets.linked_to(kProject, {}, 50).items;
  ASSERT_EQ(linked.size(), 1U);
  EXPECT_EQ(linked[0].tasks_in_project, 2);
  EXPECT_EQ(linked[0].linked_at, kLater);
}

RegisteredItem in_place(std::int64_t id, std::int64_t number, std::optional<std::int64_t> side) {
  const std::string name = std::to_string(id) + ".png";
  return {ItemId{id}, number, name, name, "", 10, std::nullopt, side, side, {"{}"}};
}

TEST_P(DatasetEvents, ChangesRemovalSizesAndThumbnails) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  const DatasetId films{14}, doomed{18};
  auto film = dataset_created(films);
  film.data_type = DataType::video;
  world.append(kDatasetShard, {dataset_created(), film, dataset_created(doomed)});
  world.append(kDatasetShard,
               {ItemsRegistered{kDataset,
                                {in_place(202, 1, std::nullopt), in_place(206, 2, 64),
                                 in_place(210, 3, 64), in_place(214, 4, std::nullopt)}},
                ItemsRegistered{films, {in_place(218, 1, std::nullopt)}},
                ItemsRegistered{doomed, {in_place(222, 1, 64), in_place(226, 2, 64)}}});
  world.append(kDatasetShard,
               {DatasetUpdated{kDataset, "Renamed", std::nullopt},
                ItemMeasured{kDataset, ItemId{202}, 640, 480},
                ItemThumbnailMade{kDataset, ItemId{202}, "t/202.webp"},
                ItemThumbnailFailed{kDataset, ItemId{206}, "Damaged."},
                ItemDeleted{kDataset, ItemId{210}, 3, 10}, DatasetDeleted{doomed},
                ItemsRemoved{doomed, {ItemId{222}}}},
               {7, kLater.ms});
  world.append(kDatasetShard,
               {ItemsRemoved{kDataset, {ItemId{210}}}, ItemsRemoved{doomed, {ItemId{226}}},
                DatasetEmptied{doomed}, DatasetSizesPassedOn{kDataset, kProject, {ItemId{202}}}});
  world.start();
  world.settle();
  const DatasetQueries datasets(*world.pool);
  const auto dataset = datasets.find(kDataset);
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->name, "Renamed");
  EXPECT_EQ(dataset->version, 2);
  EXPECT_EQ(dataset->updated_at, kLater);
  EXPECT_EQ(dataset->items_count, 3);
  EXPECT_EQ(dataset->total_size, 30);
  EXPECT_EQ(datasets.find(doomed), std::nullopt);
  for (const std::int64_t id : {210, 222, 226})
    EXPECT_EQ(datasets.find_item(ItemId{id}), std::nullopt);
  const auto item = datasets.find_item(ItemId{202});
  ASSERT_TRUE(item);
  EXPECT_EQ(item->width, 640);
  EXPECT_EQ(item->height, 480);
  EXPECT_EQ(item->thumbnail_path, "t/202.webp");
  EXPECT_EQ(item->updated_at, kLater);
  EXPECT_EQ(datasets.find_item(ItemId{206})->thumbnail_error, "Damaged.");
  const auto unmeasured = datasets.unmeasured(kDataset, ItemId{}, 10);
  ASSERT_EQ(unmeasured.items.size(), 1U);
  EXPECT_EQ(unmeasured.items[0].id, ItemId{214});
  EXPECT_TRUE(datasets.unmeasured(films, ItemId{}, 10).items.empty()) << "no images";
  const std::int64_t shard = 214 % kShards;
  const auto without = datasets.without_thumbnail({kShards, {shard}}, ItemId{}, 10);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_EQ(without[0].id, ItemId{214});
  EXPECT_TRUE(datasets.without_thumbnail({kShards, {shard + 1}}, ItemId{}, 10).empty());
  world.stop();
  const std::string live = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

TEST_P(DatasetEvents, TasksLearnTheSizesOfTheirImages) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  auto made = tasks_created(100, 2);
  for (auto& task : made.tasks) task.image_width = task.image_height = std::nullopt;
  world.append(kProjectShard, {project_created(), made});
  world.append(kProjectShard, {TaskMeasured{kProject, TaskId{100}, 64, 48}}, {7, kLater.ms});
  world.start();
  world.settle();
  const auto row = [&](const char* id) {
    return ask(world.database.url(),
               std::string("SELECT concat_ws(' ', image_width, image_height, version) FROM tasks "
                           "WHERE id = ") +
                   id);
  };
  EXPECT_EQ(row("100"), "64 48 2");
  EXPECT_EQ(row("101"), "1");
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, DatasetEvents, ::testing::Values(1, 2, 2000));

TEST(Directory, LoadsEverybodyWithThePositionsItStandsAt) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(0, {user_created(1, Role::super_admin, "Ada")});
  world.append(kProjectShard,
               {project_created(), ProjectMemberAdded{kProject, UserId{1}, Role::reviewer}});
  world.start();
  world.settle();
  const auto rows = load_directory(*world.pool);
  ASSERT_EQ(rows.users.size(), 1U);
  EXPECT_EQ(rows.users[0].username, "Ada");
  ASSERT_EQ(rows.projects.size(), 1U);
  EXPECT_EQ(rows.projects[0].owner_id, UserId{7});
  ASSERT_EQ(rows.members.size(), 1U);
  ASSERT_EQ(rows.positions.size(), std::size_t{kShards});
  for (const auto& at : rows.positions) EXPECT_EQ(at.offset, world.log->end(at.shard));
}

}  // namespace
}  // namespace annolog::projections::testing::effects_test
