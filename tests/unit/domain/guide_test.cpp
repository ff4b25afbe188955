// The images of a project's guide (decisions, section 3).
#include "domain/project/removal.hpp"
#include "domain/project/view.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::guide_test {
namespace {

constexpr GuideAssetId kAsset{40};
constexpr std::int64_t kSize = 1000;

StartGuideAsset start() { return {kProject, "stop sign.png", "image/png", kSize}; }
CompleteGuideAsset complete() { return {kProject, kAsset, kSize, "aa", "image/png"}; }
DeleteGuideAsset remove() { return {kProject, kAsset}; }

GuideAssetUploadStarted started(GuideAssetId id = kAsset) {
  return {kProject, id, "stop sign.png", "image/png", kSize};
}

std::vector<Past> with_asset(bool ready) {
  auto past = project_with_members();
  past.emplace_back(Event{started()});
  if (ready) past.emplace_back(Event{GuideAssetReady{kProject, kAsset, "aa"}});
  return past;
}

TEST(Guide, an_upload_is_announced) {
  given(project_with_members())
      .when(StartGuideAsset{kProject, " a/b: c.PNG ", "Image/PNG", kMaxGuideAssetBytes}, kAdmin)
      .then({GuideAssetUploadStarted{kProject, GuideAssetId{50}, "a/b: c.PNG", "image/png",
                                     kMaxGuideAssetBytes}});
}

TEST(Guide, four_types_are_taken) {
  for (const char* type : {"image/png", "image/jpeg", "image/webp", "image/gif"}) {
    auto command = start();
    command.content_type = type;
    EXPECT_EQ(given(project_with_members()).when(command).code(), "ok") << type;
  }
  for (const char* type : {"image/bmp", "image/tiff", "image/svg+xml", "text/html", "image", ""}) {
    auto command = start();
    command.content_type = type;
    given(project_with_members()).when(command).then_invalid({"unknown_type"});
  }
}

TEST(Guide, every_bad_member_of_an_announcement_is_named) {
  given(project_with_members())
      .when(StartGuideAsset{kProject, " ", "image/bmp", 0})
      .then_invalid({"length", "unknown_type", "out_of_range"});
  given(project_with_members())
      .when(StartGuideAsset{kProject, "a\nb", "image/png", kMaxGuideAssetBytes + 1})
      .then_invalid({"control_character", "out_of_range"});
}

TEST(Guide, is_changed_by_those_who_administer_the_project) {
  for (const UserId user : {kReviewer, kAnnotator, kViewer}) {
    given(with_asset(false)).when(start(), user).then_fails("FORBIDDEN");
    given(with_asset(false)).when(complete(), user).then_fails("FORBIDDEN");
    given(with_asset(true)).when(remove(), user).then_fails("FORBIDDEN");
  }
  given(with_asset(false)).when(start(), kStranger).then_fails("NOT_FOUND");
  given(with_asset(true)).when(remove(), kStranger).then_fails("NOT_FOUND");
  given(with_asset(true)).when(remove(), kRoot).then({GuideAssetDeleted{kProject, kAsset}});
}

TEST(Guide, an_upload_is_completed_once) {
  given(with_asset(false)).when(complete()).then({GuideAssetReady{kProject, kAsset, "aa"}});
  given(with_asset(true)).when(complete()).then_nothing();
  auto other = complete();
  other.stored_size = 7;
  given(with_asset(true)).when(other).then_nothing();
}

TEST(Guide, other_bytes_than_announced_are_refused) {
  auto command = complete();
  command.stored_size = kSize - 1;
  given(with_asset(false)).when(command).then_invalid({"size_mismatch"});
  command.stored_type = "image/gif";
  given(with_asset(false)).when(command).then_invalid({"size_mismatch", "type_mismatch"});
}

TEST(Guide, an_unknown_image_is_not_found) {
  given(project_with_members()).when(complete()).then_fails("NOT_FOUND");
  given(project_with_members()).when(remove()).then_fails("NOT_FOUND");
}

TEST(Guide, only_what_is_ready_is_shown_and_counts_as_a_change) {
  const auto pending = given(with_asset(false)).world.project;
  EXPECT_TRUE(to_view(pending).guide_assets.empty());
  EXPECT_EQ(pending.version, 1);
  const auto ready = given(with_asset(true)).world.project;
  EXPECT_EQ(ready.version, 2);
  const std::vector<GuideAssetView> expected{{kAsset, "stop sign.png", "image/png", kSize, kNow}};
  EXPECT_EQ(to_view(ready).guide_assets, expected);
  auto past = with_asset(true);
  past.emplace_back(Event{GuideAssetDeleted{kProject, kAsset}});
  EXPECT_EQ(given(past).world.project.version, 3);
  EXPECT_TRUE(given(past).world.project.guide_assets.empty());
  past = with_asset(false);
  past.emplace_back(Event{GuideAssetDeleted{kProject, kAsset}});
  EXPECT_EQ(given(past).world.project.version, 1);
}

Given full_guide(Timestamp at = kNow) {
  auto past = project_with_members();
  for (std::size_t i = 1; i <= kMaxGuideAssets; ++i) {
    const GuideAssetId id{static_cast<std::int64_t>(1000 + i)};
    past.emplace_back(Event{started(id)}, kOwner, at);
    if (i > 2) past.emplace_back(Event{GuideAssetReady{kProject, id, "aa"}}, kOwner, at);
  }
  return given(past);
}

TEST(Guide, has_room_for_two_hundred) {
  const auto outcome = full_guide().when(start());
  outcome.then_fails("GUIDE_ASSET_LIMIT");
  EXPECT_EQ(outcome.result().error().detail.at(0).second, DomainError::Value(std::int64_t{200}));
  auto almost = full_guide();
  almost.world.project.guide_assets.erase(GuideAssetId{1200});
  EXPECT_EQ(almost.when(start()).code(), "ok");
}

TEST(Guide, uploads_that_nobody_finished_for_a_day_are_given_up) {
  const Timestamp a_day_later = kNow + kGuideUploadMs;
  full_guide().when(start(), kOwner, a_day_later).then_fails("GUIDE_ASSET_LIMIT");
  full_guide()
      .when(start(), kOwner, a_day_later + 1)
      .then({GuideAssetDeleted{kProject, GuideAssetId{1001}},
             GuideAssetDeleted{kProject, GuideAssetId{1002}}, started(GuideAssetId{50})});
}

TEST(Guide, the_bytes_lie_below_the_project_under_a_name_of_the_type) {
  EXPECT_EQ(guide_asset_key(kProject, kAsset, "image/jpeg"), "projects/10/guide/40/image.jpg");
  EXPECT_EQ(guide_asset_key(kProject, kAsset, "image/webp"), "projects/10/guide/40/image.webp");
}

TEST(Guide, what_is_deleted_leaves_its_bytes_to_be_removed) {
  const auto on = given(with_asset(true));
  const Removal image{kProject, kAsset, {"projects/10/guide/40/image.png"}};
  EXPECT_EQ(removal_after(on.world.project, GuideAssetDeleted{kProject, kAsset}), image);
  const Removal all{kProject, {}, {"projects/10/guide/40/image.png"}};
  EXPECT_EQ(removal_after(on.world.project, ProjectDeleted{kProject}), all);
}

}  // namespace
}  // namespace annolog::testing::guide_test
