// What is deleted leaves nothing behind: crashes between any two steps, refusals, links and changes
// of name that are under way.
#include <thread>

#include "commands/state/key.hpp"
#include "domain/codec/domain_json.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::removal_test {
namespace {

using commands::ForgetLinks;
using commands::Key;
using commands::ReadRemoval;
using commands::Remains;
using commands::Table;

struct Scene {
  explicit Scene(ServiceOptions options = {}) : service(options) {
    owner = service.add_user(Role::project_admin);
    root = service.add_user(Role::super_admin);
    project = service.add_project("Streets", owner);
  }

  // A project with links, a member and images, and no tasks.
  void furnish() {
    service.add_member(project, owner, service.add_user(Role::annotator));
    for (int i = 0; i < 6; ++i) {
      datasets.push_back(service.add_dataset("Photos " + std::to_string(i), owner));
      service.must<commands::TasksMade>(LinkDataset{datasets.back(), project}, owner);
    }
    ready_image();
    const auto pending = announce();
    put(guide_asset_key(project, pending.asset_id, "image/png"));
  }
  GuideAssetView announce() {
    return service.must<GuideAssetView>(StartGuideAsset{project, "a.png", "image/png", 10}, owner);
  }
  GuideAssetId ready_image() {
    const auto image = announce();
    put(guide_asset_key(project, image.asset_id, "image/png"));
    service.must<GuideAssetView>(CompleteGuideAsset{project, image.asset_id, 10, "aa", "image/png"},
                                 owner);
    return image.asset_id;
  }
  void put(const std::string& key) {
    const std::lock_guard guard(service.objects_mutex);
    service.objects.insert(key);
  }
  std::size_t object_count() {
    const std::lock_guard guard(service.objects_mutex);
    return service.objects.size();
  }
  void delete_project() {
    EXPECT_EQ(Service::code(service.call(DeleteProject{project, {}}, root)), "ok");
  }
  bool is_unfinished(GuideAssetId asset = {}) {
    return service.must<Remains>(ReadRemoval{project, asset}, kSystem).any;
  }
  void settle(GuideAssetId asset = {}) {
    for (int i = 0; i < 100'000 && is_unfinished(asset); ++i) std::this_thread::yield();
    EXPECT_FALSE(is_unfinished(asset));
  }
  std::size_t links_left() const {
    std::size_t links = 0;
    for (const auto& shard : service.dump()) {
      for (const auto& [key, value] : shard) {
        if (key.front() == static_cast<char>(Table::link_of_project)) ++links;
      }
    }
    return links;
  }
  bool name_is_free(const std::string& name) {
    return Service::code(service.create(Service::project_wish(name, owner), owner)) == "ok";
  }
  void expect_nothing_is_left() {
    EXPECT_EQ(links_left(), 0U);
    EXPECT_EQ(object_count(), 0U);
    EXPECT_EQ(service.count_records("dataset.unlinked"), datasets.size());
    EXPECT_EQ(service.count_records("name.freed"), 1U);
    EXPECT_EQ(service.count_records("project.removal_finished"), 1U);
    EXPECT_TRUE(name_is_free("Streets"));
    service.expect_refold_gives_the_same();
  }

  Service service;
  Who owner, root;
  ProjectId project;
  std::vector<DatasetId> datasets;
};

TEST(Removal, a_deleted_project_leaves_nothing_behind) {
  Scene scene;
  scene.furnish();
  EXPECT_EQ(scene.links_left(), 6U);
  EXPECT_EQ(scene.object_count(), 2U);
  scene.delete_project();
  scene.settle();
  scene.expect_nothing_is_left();
}

TEST(Removal, the_shard_keeps_of_it_that_its_id_is_used_up) {
  Scene scene;
  scene.delete_project();
  scene.settle();
  const auto shard = commands::shard_of(scene.project.value, scene.service.log->shard_count());
  const auto dump = scene.service.dump();
  const auto id = Key(Table::project).id(scene.project).bytes().substr(1);
  for (const auto& [key, value] : dump.at(shard.value)) {
    if (key.size() <= id.size() || key.substr(1, id.size()) != id) continue;
    EXPECT_EQ(key.front(), static_cast<char>(Table::project));
  }
  auto again = Service::project_wish("Streets", scene.owner);
  again.project_id = scene.project;
  EXPECT_EQ(Service::code(scene.service.call(again, scene.owner)), "NOT_FOUND");
  EXPECT_NE(scene.service.add_project("Streets", scene.owner), scene.project);
}

TEST(Removal, a_project_with_tasks_stays) {
  Scene scene;
  const auto dataset = scene.service.add_dataset("Photos", scene.owner);
  scene.service.add_items(dataset, scene.owner, 3);
  scene.service.link(dataset, scene.project, scene.owner);
  const auto refused = scene.service.call(DeleteProject{scene.project, {}}, scene.root);
  EXPECT_EQ(Service::code(refused), "PROJECT_HAS_TASKS");
  EXPECT_EQ(refused.reply.error().detail.at(0).second, DomainError::Value(std::int64_t{3}));
  EXPECT_FALSE(scene.is_unfinished());
  EXPECT_FALSE(scene.name_is_free("Streets"));
}

TEST(Removal, a_crash_right_after_the_deletion_is_made_good) {
  Scene scene;
  scene.furnish();
  scene.service.restart_without_links();
  scene.delete_project();
  scene.service.restart_without_links();
  EXPECT_TRUE(scene.is_unfinished());
  EXPECT_EQ(scene.object_count(), 2U);
  scene.service.start_links();
  scene.settle();
  scene.expect_nothing_is_left();
}

TEST(Removal, a_crash_after_the_name_was_freed_is_made_good) {
  Scene scene;
  scene.furnish();
  scene.service.restart_without_links();
  scene.delete_project();
  EXPECT_EQ(
      Service::code(scene.service.call(FreeName{NameKind::project, scene.project.value}, kSystem)),
      "ok");
  scene.service.restart();
  scene.settle();
  scene.expect_nothing_is_left();
}

TEST(Removal, a_crash_among_the_links_is_made_good) {
  Scene scene;
  scene.furnish();
  scene.service.restart_without_links();
  scene.delete_project();
  const FreeName name{NameKind::project, scene.project.value};
  EXPECT_EQ(Service::code(scene.service.call(name, kSystem)), "ok");
  for (std::uint16_t shard = 0; shard < 2; ++shard) {
    EXPECT_FALSE(scene.service.must<Remains>(ForgetLinks{shard, scene.project}, kSystem).any);
  }
  EXPECT_LT(scene.links_left(), 6U);
  scene.service.restart();
  scene.settle();
  scene.expect_nothing_is_left();
}

TEST(Removal, a_crash_before_it_was_recorded_as_finished_is_made_good) {
  Scene scene;
  scene.furnish();
  scene.service.restart_without_links();
  scene.delete_project();
  const FreeName name{NameKind::project, scene.project.value};
  EXPECT_EQ(Service::code(scene.service.call(name, kSystem)), "ok");
  for (std::uint16_t shard = 0; shard < scene.service.log->shard_count(); ++shard) {
    scene.service.must<Remains>(ForgetLinks{shard, scene.project}, kSystem);
  }
  scene.service.objects.clear();
  scene.service.restart();
  scene.settle();
  scene.expect_nothing_is_left();
}

TEST(Removal, what_is_finished_is_not_begun_again) {
  Scene scene;
  scene.furnish();
  scene.delete_project();
  scene.settle();
  const auto records = scene.service.records().size();
  scene.service.restart();
  EXPECT_FALSE(scene.is_unfinished());
  EXPECT_EQ(scene.service.records().size(), records);
}

TEST(Removal, many_links_go_in_several_calls) {
  Scene scene(ServiceOptions{.shards = 1});
  const auto count = static_cast<int>(ForgetLinks::kLinksMax) + 3;
  for (int i = 0; i < count; ++i) {
    const auto dataset = scene.service.add_dataset("D" + std::to_string(i), scene.owner);
    scene.service.must<commands::TasksMade>(LinkDataset{dataset, scene.project}, scene.owner);
  }
  scene.service.restart_without_links();
  scene.delete_project();
  EXPECT_TRUE(scene.service.must<Remains>(ForgetLinks{0, scene.project}, kSystem).any);
  EXPECT_EQ(scene.links_left(), 3U);
  scene.service.start_links();
  scene.settle();
  EXPECT_EQ(scene.links_left(), 0U);
}

TEST(Removal, a_store_that_fails_is_asked_again) {
  Scene scene;
  scene.furnish();
  scene.service.objects_fail = true;
  scene.delete_project();
  while (scene.service.count_records("dataset.unlinked") < 6) std::this_thread::yield();
  EXPECT_TRUE(scene.is_unfinished());
  EXPECT_EQ(scene.object_count(), 2U);
  scene.service.objects_fail = false;
  while (scene.is_unfinished()) std::this_thread::yield();
  scene.expect_nothing_is_left();
}

// The link was allowed before the project went, and recorded after all was cleared.
TEST(Removal, a_link_that_comes_too_late_is_forgotten) {
  Scene scene;
  const auto empty = scene.service.add_dataset("Empty", scene.owner);
  const auto full = scene.service.add_dataset("Full", scene.owner);
  scene.service.add_items(full, scene.owner, 3);
  scene.delete_project();
  scene.settle();
  for (const auto dataset : {empty, full}) {
    scene.service.must<commands::TasksMade>(LinkDataset{dataset, scene.project}, scene.owner);
  }
  for (int i = 0; i < 100'000 && scene.links_left() > 0; ++i) std::this_thread::yield();
  EXPECT_EQ(scene.links_left(), 0U);
  EXPECT_EQ(scene.service.count_records("tasks.created"), 0U);
  EXPECT_EQ(scene.service.count_records("dataset.unlinked"), 2U);
  scene.service.expect_refold_gives_the_same();
}

TEST(Removal, a_crash_after_a_link_came_too_late_is_made_good) {
  Scene scene;
  const auto empty = scene.service.add_dataset("Empty", scene.owner);
  scene.delete_project();
  scene.settle();
  scene.service.restart_without_links();
  scene.service.must<commands::TasksMade>(LinkDataset{empty, scene.project}, scene.owner);
  scene.service.restart();
  for (int i = 0; i < 100'000 && scene.links_left() > 0; ++i) std::this_thread::yield();
  EXPECT_EQ(scene.links_left(), 0U);
}

// Confirmed after the name was freed, the new one would be held for ever.
TEST(Removal, a_rename_under_way_is_settled_first) {
  Scene scene;
  const JsonText wish{"{}"};
  scene.service.must<NameReserved>(
      ReserveName{NameKind::project, 0, scene.project.value, "Roads", wish}, scene.owner);
  UpdateProject rename;
  rename.project_id = scene.project;
  rename.name = "Roads";
  scene.service.must<ProjectView>(rename, scene.owner);
  scene.delete_project();
  EXPECT_TRUE(scene.is_unfinished());
  const ConfirmName confirm{NameKind::project, scene.project.value, "Roads"};
  EXPECT_EQ(Service::code(scene.service.call(confirm, kSystem)), "ok");
  while (scene.is_unfinished()) std::this_thread::yield();
  EXPECT_TRUE(scene.name_is_free("Roads"));
  EXPECT_TRUE(scene.name_is_free("Streets"));
  scene.service.expect_refold_gives_the_same();
}

// Created, deleted, and only then the crash: the creation must not be done a second time.
TEST(Removal, a_creation_that_was_never_confirmed_is_not_done_again) {
  Scene scene;
  scene.service.restart_without_links();
  auto wish = Service::project_wish("Rivers", scene.owner);
  const auto reserved = scene.service.must<NameReserved>(
      ReserveName{NameKind::project, 0, 0, "Rivers", {codec::to_json_text(wish)}}, scene.owner);
  wish.project_id = scene.project = ProjectId{reserved.holder_id};
  scene.service.must<ProjectView>(wish, scene.owner);
  scene.delete_project();
  scene.service.restart();
  while (scene.is_unfinished()) std::this_thread::yield();
  EXPECT_EQ(scene.service.count_records("project.created"), 2U);
  EXPECT_EQ(scene.service.count_records("name.freed"), 1U);
  EXPECT_TRUE(scene.name_is_free("Rivers"));
  scene.service.expect_refold_gives_the_same();
}

TEST(Removal, a_retried_creation_of_what_was_deleted_is_not_found) {
  Scene scene;
  const auto wish = Service::project_wish("Rivers", scene.owner);
  const auto made = scene.service.create(wish, scene.owner, "key", "request");
  ASSERT_EQ(Service::code(made), "ok");
  scene.project = std::get<ProjectView>(made.reply.value()).id;
  scene.delete_project();
  scene.settle();
  const auto again = scene.service.create(wish, scene.owner, "key", "request");
  EXPECT_EQ(Service::code(again), "NOT_FOUND");
  EXPECT_EQ(scene.service.count_records("project.created"), 2U);
}

TEST(Removal, a_retried_deletion_is_answered_as_the_first) {
  Scene scene;
  const DeleteProject wish{scene.project, {}};
  EXPECT_EQ(Service::code(scene.service.call(wish, scene.root, "key", "request")), "ok");
  scene.settle();
  const auto again = scene.service.call(wish, scene.root, "key", "request");
  EXPECT_EQ(Service::code(again), "ok");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::code(scene.service.call(wish, scene.root)), "NOT_FOUND");
}

TEST(Removal, the_bytes_of_a_deleted_image_go) {
  Scene scene;
  const auto image = scene.ready_image();
  const auto other = scene.ready_image();
  EXPECT_EQ(Service::code(scene.service.call(DeleteGuideAsset{scene.project, image}, scene.owner)),
            "ok");
  scene.settle(image);
  EXPECT_EQ(scene.object_count(), 1U);
  const UpdateProject look{.project_id = scene.project,
                           .expected_version = {},
                           .name = {},
                           .description = {},
                           .classes_config = {},
                           .attribute_schema = {},
                           .ai_enabled = {},
                           .review_required = {},
                           .annotation_guide = {},
                           .rendering_config = {},
                           .status = {}};
  const auto view = scene.service.must<ProjectView>(look, scene.owner);
  ASSERT_EQ(view.guide_assets.size(), 1U);
  EXPECT_EQ(view.guide_assets[0].asset_id, other);
  scene.service.expect_refold_gives_the_same();
}

TEST(Removal, a_crash_before_an_images_bytes_went_is_made_good) {
  Scene scene;
  const auto image = scene.ready_image();
  scene.service.restart_without_links();
  EXPECT_EQ(Service::code(scene.service.call(DeleteGuideAsset{scene.project, image}, scene.owner)),
            "ok");
  EXPECT_EQ(scene.object_count(), 1U);
  scene.service.restart();
  scene.settle(image);
  EXPECT_EQ(scene.object_count(), 0U);
}

TEST(Removal, ids_of_images_are_never_used_again) {
  Scene scene;
  const auto first = scene.ready_image();
  scene.service.call(DeleteGuideAsset{scene.project, first}, scene.owner);
  scene.settle(first);
  EXPECT_GT(scene.ready_image().value, first.value);
}

TEST(Removal, a_retried_announcement_of_what_was_deleted_is_not_found) {
  Scene scene;
  const StartGuideAsset wish{scene.project, "a.png", "image/png", 10};
  const auto made = scene.service.call(wish, scene.owner, "key", "request");
  const auto image = std::get<GuideAssetView>(made.reply.value()).asset_id;
  EXPECT_TRUE(scene.service.call(wish, scene.owner, "key", "request").replayed);
  scene.service.call(DeleteGuideAsset{scene.project, image}, scene.owner);
  const auto again = scene.service.call(wish, scene.owner, "key", "request");
  EXPECT_EQ(Service::code(again), "NOT_FOUND");
}

TEST(Transfer, the_reply_shows_the_new_owner_and_the_old_one_as_member) {
  Scene scene;
  const auto other = scene.service.add_user(Role::project_admin);
  const auto view = scene.service.must<ProjectView>(
      TransferProject{scene.project, other.id, other.role}, scene.root);
  EXPECT_EQ(view.owner_id, other.id);
  EXPECT_EQ(view.member_count, 1);
  EXPECT_EQ(view.version, 2);
  scene.service.must<ProjectView>(TransferProject{scene.project, other.id, other.role}, scene.root);
  EXPECT_EQ(scene.service.count_records("project.transferred"), 1U);
}

}  // namespace
}  // namespace annolog::testing::removal_test
