// Changes of datasets and items that are there: names, removal, sizes, thumbnails.
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::dataset_changes_test {
namespace {

const std::string kMd5 = "d41d8cd98f00b204e9800998ecf8427e";
constexpr ItemId kPending{201};
constexpr ItemId kReady{202};
constexpr ItemId kUnmeasured{203};
const std::string kThumbnail = "datasets/20/thumbnails/202.webp";

ItemUploadStarted started(ItemId id) {
  return {kDataset, id, "a.png", object_key_of(kDataset, id, "a.png"), "image/png", 10, kMd5};
}

// One item that is pending, one that is ready, one whose size is not known.
std::vector<Past> dataset() {
  std::vector<Past> past{
      Event{DatasetCreated{kDataset, "Photos", "", DataType::image, kOwner}},
      Event{started(kPending)},
      Event{started(kReady)},
      Event{ItemReady{kDataset, kReady, 1, 10, kMd5, 640, 480}},
      Event{started(kUnmeasured)},
      Event{ItemReady{kDataset, kUnmeasured, 2, 7, kMd5, std::nullopt, std::nullopt}}};
  return past;
}

std::vector<Past> with(std::vector<Past> past, Event event) {
  past.emplace_back(std::move(event));
  return past;
}
std::vector<Past> linked() { return with(dataset(), DatasetLinked{kDataset, kProject}); }

UpdateDataset update(std::optional<std::string> name, std::optional<std::string> description) {
  return {kDataset, kOwner, std::nullopt, std::move(name), std::move(description)};
}

TEST(DatasetChanges, only_what_changed_is_recorded) {
  given(dataset())
      .when(update(" Pictures ", "d"))
      .then({DatasetUpdated{kDataset, "Pictures", "d"}});
  given(dataset()).when(update("Photos", "d")).then({DatasetUpdated{kDataset, std::nullopt, "d"}});
  given(dataset()).when(update("Photos", "")).then_nothing();
  given(dataset()).when(update(std::nullopt, std::nullopt)).then_nothing();
}

TEST(DatasetChanges, texts_and_versions_are_checked) {
  given(dataset()).when(update("  ", std::string(10'001, 'x'))).then_invalid({"length", "length"});
  auto command = update("New", std::nullopt);
  command.expected_version = {{2}};
  given(dataset()).when(command).then_fails("VERSION_MISMATCH");
  command.expected_version = {{1}};
  EXPECT_EQ(given(dataset()).when(command).code(), "ok");
}

TEST(DatasetChanges, a_change_is_a_new_version) {
  const auto on = given(with(dataset(), DatasetUpdated{kDataset, "New", std::nullopt}));
  EXPECT_EQ(on.world.dataset.name, "New");
  EXPECT_EQ(on.world.dataset.version, 2);
}

TEST(DatasetChanges, are_the_creators_and_super_admins) {
  for (const UserId user : {kAdmin, kReviewer, kStranger}) {
    given(dataset()).when(update("x", std::nullopt), user).then_fails("FORBIDDEN");
    given(dataset()).when(DeleteDataset{kDataset, {}}, user).then_fails("FORBIDDEN");
    given(dataset()).when(DeleteItem{kDataset, kReady}, user).then_fails("FORBIDDEN");
    given(dataset())
        .when(MeasureItems{kDataset, {{kUnmeasured, 1, 1}}, {}, {}}, user)
        .then_fails("FORBIDDEN");
  }
  EXPECT_EQ(given(dataset()).when(DeleteDataset{kDataset, {}}, kRoot).code(), "ok");
}

TEST(DatasetRemoval, a_dataset_without_links_is_deleted) {
  given(dataset()).when(DeleteDataset{kDataset, {}}).then({DatasetDeleted{kDataset}});
  given(dataset()).when(DeleteDataset{kDataset, {{7}}}).then_fails("VERSION_MISMATCH");
}

TEST(DatasetRemoval, a_linked_one_stays_and_counts_its_projects) {
  const auto outcome = given(linked()).when(DeleteDataset{kDataset, {}});
  outcome.then_fails("DATASET_LINKED");
  EXPECT_EQ(outcome.result().error().detail,
            (DomainError::Detail{{"linked_projects", std::int64_t{1}}}));
}

TEST(DatasetRemoval, nobody_finds_a_deleted_one) {
  const auto past = with(dataset(), DatasetDeleted{kDataset});
  given(past).when(update("x", std::nullopt)).then_fails("NOT_FOUND");
  given(past).when(DeleteDataset{kDataset, {}}).then_fails("NOT_FOUND");
  given(past).when(DeleteItem{kDataset, kReady}).then_fails("NOT_FOUND");
  given(past).when(LinkDataset{kDataset, kProject}).then_fails("NOT_FOUND");
  given(past)
      .when(StartUpload{kDataset, "b.png", "image/png", 1, std::nullopt})
      .then_fails("NOT_FOUND");
  given(past).when(RecordThumbnail{kDataset, kReady, kThumbnail}, kRoot).then_fails("NOT_FOUND");
}

TEST(DatasetRemoval, a_creation_that_is_finished_late_does_not_bring_it_back) {
  given(with(dataset(), DatasetDeleted{kDataset}))
      .when(CreateDataset{kDataset, "Photos", "", DataType::image, kOwner})
      .then_nothing();
}

TEST(DatasetRemoval, it_is_emptied_once) {
  given(dataset()).when(EmptyDataset{kDataset}).then_nothing();
  const auto deleted = with(dataset(), DatasetDeleted{kDataset});
  given(deleted).when(EmptyDataset{kDataset}).then({DatasetEmptied{kDataset}});
  given(with(deleted, DatasetEmptied{kDataset})).when(EmptyDataset{kDataset}).then_nothing();
}

TEST(ItemRemoval, a_ready_item_takes_its_bytes_from_the_counters) {
  given(dataset()).when(DeleteItem{kDataset, kReady}).then({ItemDeleted{kDataset, kReady, 1, 10}});
  const auto on = given(with(dataset(), ItemDeleted{kDataset, kReady, 1, 10}));
  EXPECT_EQ(on.world.dataset.item_count, 1);
  EXPECT_EQ(on.world.dataset.total_size, 7);
  EXPECT_EQ(on.world.dataset.ready_count, 2) << "a number is never given twice";
}

TEST(ItemRemoval, a_pending_item_goes_whatever_is_linked) {
  given(linked())
      .when(DeleteItem{kDataset, kPending})
      .then({ItemDeleted{kDataset, kPending, 0, 10}});
  const auto on = given(with(linked(), ItemDeleted{kDataset, kPending, 0, 10}));
  EXPECT_EQ(on.world.dataset.item_count, 2);
  EXPECT_EQ(on.world.dataset.total_size, 17);
}

TEST(ItemRemoval, a_ready_item_of_a_linked_dataset_is_in_use) {
  const auto outcome = given(linked()).when(DeleteItem{kDataset, kReady});
  outcome.then_fails("ITEM_IN_USE");
  EXPECT_EQ(outcome.result().error().detail,
            (DomainError::Detail{{"linked_projects", std::int64_t{1}}}));
}

TEST(ItemRemoval, nobody_finds_a_deleted_item) {
  const auto past = with(dataset(), ItemDeleted{kDataset, kPending, 0, 10});
  given(past).when(DeleteItem{kDataset, kPending}).then_fails("NOT_FOUND");
  given(past).when(CompleteUpload{kDataset, kPending, 10, kMd5, 1, 1}).then_fails("NOT_FOUND");
  given(dataset()).when(DeleteItem{kDataset, ItemId{999}}).then_fails("NOT_FOUND");
}

TEST(ItemRemoval, only_what_is_deleted_is_removed) {
  const RemoveItems command{kDataset, {kPending, kReady, ItemId{999}}};
  given(dataset()).when(command).then_nothing();
  given(with(dataset(), ItemDeleted{kDataset, kPending, 0, 10}))
      .when(command)
      .then({ItemsRemoved{kDataset, {kPending}}});
  given(with(dataset(), DatasetDeleted{kDataset}))
      .when(command)
      .then({ItemsRemoved{kDataset, {kPending, kReady}}});
}

TEST(ItemSizes, only_ready_items_without_a_size_get_one) {
  const MeasureItems command{
      kDataset, {{kPending, 3, 4}, {kReady, 3, 4}, {kUnmeasured, 3, 4}}, {}, std::nullopt};
  given(dataset()).when(command).then({ItemMeasured{kDataset, kUnmeasured, 3, 4}});
  const auto past = with(dataset(), ItemMeasured{kDataset, kUnmeasured, 3, 4});
  EXPECT_EQ(given(past).world.items.at(kUnmeasured).width, 3);
  given(past).when(command).then_nothing();
}

TEST(Thumbnails, the_first_word_counts) {
  const RecordThumbnail made{kDataset, kReady, kThumbnail};
  const RecordThumbnailFailure failed{kDataset, kReady, "Broken."};
  EXPECT_EQ(thumbnail_key_of(kDataset, kReady), kThumbnail);
  given(dataset()).when(made, kRoot).then({ItemThumbnailMade{kDataset, kReady, kThumbnail}});
  given(dataset()).when(failed, kRoot).then({ItemThumbnailFailed{kDataset, kReady, "Broken."}});
  for (const Event& event : {Event{ItemThumbnailMade{kDataset, kReady, kThumbnail}},
                             Event{ItemThumbnailFailed{kDataset, kReady, "Broken."}}}) {
    given(with(dataset(), event)).when(made, kRoot).then_nothing();
    given(with(dataset(), event)).when(failed, kRoot).then_nothing();
  }
  given(dataset())
      .when(RecordThumbnail{kDataset, kPending, kThumbnail}, kRoot)
      .then_fails("NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::dataset_changes_test
