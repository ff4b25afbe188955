// Datasets: uploads, bulk registration, links (decisions, section 6).
#include "domain/dataset/objects.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::dataset_test {
namespace {

const std::string kMd5 = "d41d8cd98f00b204e9800998ecf8427e";

std::vector<Past> dataset(DataType holds = DataType::image) {
  return {Event{DatasetCreated{kDataset, "Photos", "", holds, kOwner}}};
}

StartUpload upload(std::int64_t size = 10, const char* type = "image/png") {
  return {kDataset, "a/b.png", type, size, std::nullopt};
}

ItemUploadStarted started(std::optional<std::string> hash = kMd5) {
  return {kDataset,    ItemId{201}, "a/b.png",      "datasets/20/201/a/b.png",
          "image/png", 10,          std::move(hash)};
}

CompleteUpload complete() { return {kDataset, ItemId{201}, 10, kMd5, 640, 480}; }

TEST(Dataset, is_created_once) {
  given({})
      .when(CreateDataset{kDataset, " Photos ", "d", DataType::video, kOwner})
      .then({DatasetCreated{kDataset, "Photos", "d", DataType::video, kOwner}});
  given(dataset()).when(CreateDataset{kDataset, "x", "", DataType::image, kOwner}).then_nothing();
  given({})
      .when(CreateDataset{kDataset, std::string(201, 'x'), std::string(10'001, 'x'),
                          DataType::image, kOwner})
      .then_invalid({"length", "length"});
}

TEST(Dataset, is_changed_by_its_creator_and_super_admins_only) {
  EXPECT_EQ(given(dataset()).when(upload(), kOwner).code(), "ok");
  EXPECT_EQ(given(dataset()).when(upload(), kRoot).code(), "ok");
  for (const UserId user : {kAdmin, kReviewer, kStranger}) {
    given(dataset()).when(upload(), user).then_fails("FORBIDDEN");
  }
  given({}).when(upload()).then_fails("NOT_FOUND");
}

TEST(Dataset, an_upload_gets_an_id_and_a_place) {
  auto command = upload();
  command.content_hash = "D41D8CD98F00B204E9800998ECF8427E";
  given(dataset()).when(command).then({started()});
}

TEST(Dataset, sizes_of_an_upload) {
  EXPECT_EQ(given(dataset()).when(upload(1)).code(), "ok");
  EXPECT_EQ(given(dataset()).when(upload(kMaxImageBytes)).code(), "ok");
  given(dataset()).when(upload(0)).then_invalid({"out_of_range"});
  given(dataset()).when(upload(kMaxImageBytes + 1)).then_invalid({"out_of_range"});
  const auto videos = dataset(DataType::video);
  EXPECT_EQ(given(videos).when(upload(kMaxImageBytes + 1, "video/mp4")).code(), "ok");
  given(videos).when(upload(kMaxVideoBytes + 1, "video/mp4")).then_invalid({"out_of_range"});
}

TEST(Dataset, images_leave_no_room_for_videos) {
  for (const char* type : {"video/mp4", "Video/MP4"})
    given(dataset()).when(upload(10, type)).then_invalid({"not_allowed"});
  EXPECT_EQ(given(dataset(DataType::video)).when(upload(10, "image/png")).code(), "ok");
}

TEST(Dataset, the_key_of_an_upload_names_its_item) {
  const UploadOwner owner{kDataset, ItemId{201}};
  EXPECT_EQ(owner_of_upload(object_key_of(kDataset, ItemId{201}, "a/b.png")), owner);
  EXPECT_EQ(owner_of_upload(object_key_of(kDataset, ItemId{201}, "datasets/7/8/9")), owner);
  for (const char* other : {"datasets/20/thumbnails/201.webp", "datasets/20/201", "datasets/20",
                            "datasets/", "projects/20/201/a.png", "a/datasets/20/201/b.png", ""})
    EXPECT_FALSE(owner_of_upload(other)) << other;
}

TEST(Dataset, the_announced_hash_is_an_md5_that_is_not_there_yet) {
  auto command = upload();
  for (const char* bad : {"", "123", "g41d8cd98f00b204e9800998ecf8427e"}) {
    command.content_hash = bad;
    given(dataset()).when(command).then_invalid({"pattern"});
  }
  command.content_hash = kMd5;
  auto on = given(dataset());
  on.world.index.hashes[kMd5] = ItemId{77};
  const auto outcome = on.when(command);
  outcome.then_fails("DUPLICATE");
  EXPECT_EQ(outcome.result().error().detail,
            (DomainError::Detail{{"duplicate_of", std::int64_t{77}}}));
}

TEST(Dataset, an_upload_is_completed_when_the_bytes_are_as_announced) {
  auto past = dataset();
  past.push_back(Event{started()});
  given(past).when(complete()).then({ItemReady{kDataset, ItemId{201}, 1, 10, kMd5, 640, 480}});
}

TEST(Dataset, other_bytes_than_announced_are_refused_and_the_item_stays_pending) {
  auto past = dataset();
  past.push_back(Event{started()});
  auto command = complete();
  command.stored_size = 11;
  command.stored_md5 = std::string(32, '0');
  given(past).when(command).then_invalid({"size_mismatch", "hash_mismatch"});
  EXPECT_EQ(given(past).world.items.at(ItemId{201}).status, ItemStatus::pending);
}

TEST(Dataset, completing_again_changes_nothing) {
  auto past = dataset();
  past.push_back(Event{started()});
  past.push_back(Event{ItemReady{kDataset, ItemId{201}, 1, 10, kMd5, 640, 480}});
  auto on = given(past);
  on.world.index.hashes[kMd5] = ItemId{201};
  on.when(complete()).then_nothing();
  EXPECT_EQ(on.world.dataset.ready_count, 1);
  EXPECT_EQ(on.world.dataset.total_size, 10);
}

TEST(Dataset, bytes_that_came_by_another_upload_meanwhile_are_a_duplicate) {
  auto past = dataset();
  past.push_back(Event{started(std::nullopt)});
  auto on = given(past);
  on.world.index.hashes[kMd5] = ItemId{77};
  on.when(complete()).then_fails("DUPLICATE");
}

TEST(Dataset, an_unknown_item_is_not_found) {
  given(dataset()).when(complete()).then_fails("NOT_FOUND");
}

BulkItem bulk(std::int64_t index, const std::string& path, std::optional<std::string> hash) {
  return {index, path, path, "image/png", 5, std::move(hash), 1, 1, {"{}"}};
}

TEST(Dataset, bulk_items_skip_duplicates_of_the_dataset_and_of_the_call) {
  auto on = given(dataset());
  on.world.index.hashes["h0"] = ItemId{77};
  on.world.index.paths["p0"] = ItemId{78};
  const RegisterItems command{
      kDataset,
      {bulk(0, "a", "h0"), bulk(1, "p0", std::nullopt), bulk(2, "b", "h1"), bulk(3, "c", "h1"),
       bulk(4, "b", std::nullopt), bulk(5, "d", std::nullopt)}};
  const auto result = decide(on.world.dataset, command, as(kOwner), on.world.index);
  ASSERT_TRUE(result);
  ASSERT_EQ(result.value().events.size(), 1U);
  const auto& items = std::get<ItemsRegistered>(result.value().events[0]).items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].file_path, "b");
  EXPECT_EQ(items[0].ready_number, 1);
  EXPECT_EQ(items[1].file_path, "d");
  EXPECT_EQ(items[1].ready_number, 2);
  std::vector<std::pair<std::int64_t, std::int64_t>> duplicates;
  for (const auto& d : result.value().duplicates) {
    duplicates.emplace_back(d.index, d.duplicate_of.value);
  }
  EXPECT_EQ(duplicates, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                            {0, 77}, {1, 78}, {3, 201}, {4, 201}}));
}

TEST(Dataset, bulk_items_are_split_into_records_of_a_thousand) {
  RegisterItems command{kDataset, {}};
  for (int i = 0; i < 2500; ++i) {
    command.items.push_back(bulk(i, "p" + std::to_string(i), std::nullopt));
  }
  auto on = given(dataset());
  const auto result = decide(on.world.dataset, command, as(kOwner), on.world.index);
  ASSERT_TRUE(result);
  std::vector<std::size_t> sizes;
  for (const auto& event : result.value().events) {
    sizes.push_back(std::get<ItemsRegistered>(event).items.size());
    on.world.happened(event, {kOwner, kNow});
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1000, 1000, 500}));
  EXPECT_EQ(on.world.dataset.ready_count, 2500);
  EXPECT_EQ(on.world.dataset.total_size, 12'500);
}

TEST(Dataset, linking_again_is_a_no_op_and_a_link_only_moves_on) {
  given(dataset()).when(LinkDataset{kDataset, kProject}).then({DatasetLinked{kDataset, kProject}});
  auto past = dataset();
  past.push_back(Event{DatasetLinked{kDataset, kProject}});
  given(past).when(LinkDataset{kDataset, kProject}).then_nothing();
  const auto link = given(past).world.dataset.links.at(kProject).number;
  given(past)
      .when(AdvanceLink{kDataset, kProject, 5, link})
      .then({DatasetLinkAdvanced{kDataset, kProject, 5}});
  past.push_back(Event{DatasetLinkAdvanced{kDataset, kProject, 5}});
  given(past).when(AdvanceLink{kDataset, kProject, 5, link}).then_nothing();
  given(past).when(AdvanceLink{kDataset, kProject, 4, link}).then_nothing();
  given(past).when(AdvanceLink{kDataset, ProjectId{99}, 9, link}).then_nothing();
  given({}).when(LinkDataset{kDataset, kProject}).then_fails("NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::dataset_test
