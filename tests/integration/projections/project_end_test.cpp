// What transfers, guides and deletions do to the rows, whatever the batches.
#include <gtest/gtest.h>

#include "projections/datasets/queries.hpp"
#include "projections/projects/queries.hpp"
#include "projections/queries/directory.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::project_end_test {
namespace {

constexpr Timestamp kLater{kStartMs + 5};
constexpr GuideAssetId kImage{301};
constexpr GuideAssetId kPending{302};

GuideAssetUploadStarted upload_of(GuideAssetId id, ProjectId project = kProject) {
  return {project, id, "stop \"sign\".png", "image/png", 1000};
}

class ProjectEnds : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ProjectEnds, ATransferMovesTheOwnerAndWhoSeesIt) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  world.append(kProjectShard, {project_created()});
  world.append(kDatasetShard,
               {dataset_created(kDataset, UserId{1}), DatasetLinked{kDataset, kProject}});
  world.append(kProjectShard,
               {ProjectTransferred{kProject, UserId{7}, UserId{8}},
                ProjectMemberAdded{kProject, UserId{7}, Role::project_admin}},
               {1, kLater.ms});
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  const auto project = projects.find(kProject);
  ASSERT_TRUE(project);
  EXPECT_EQ(project->owner_id, UserId{8});
  EXPECT_EQ(project->member_count, 1);
  EXPECT_EQ(project->version, 2);
  EXPECT_EQ(project->updated_at, kLater);
  const DatasetQueries datasets(*world.pool);
  EXPECT_TRUE(datasets.visible(kDataset, UserId{8}, {.all = false, .ids = {kProject}}));
  EXPECT_EQ(load_directory(*world.pool).projects.at(0).owner_id, UserId{8});
  EXPECT_EQ(ask(world.database.url(),
                "SELECT action FROM account_events WHERE person_id = 8 AND target_id = 1"),
            "project.transfer");
}

TEST_P(ProjectEnds, AGuideShowsWhatIsReady) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  world.append(kProjectShard, {project_created(), upload_of(kImage), upload_of(kPending),
                               upload_of(GuideAssetId{303})});
  world.append(
      kProjectShard,
      {GuideAssetReady{kProject, GuideAssetId{303}, "bb"}, GuideAssetReady{kProject, kImage, "aa"}},
      {7, kLater.ms});
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  auto project = projects.find(kProject);
  ASSERT_TRUE(project);
  ASSERT_EQ(project->guide_assets.size(), 2U);
  const GuideAssetView expected{kImage, "stop \"sign\".png", "image/png", 1000,
                                Timestamp{kStartMs}};
  EXPECT_EQ(project->guide_assets[0], expected);
  EXPECT_EQ(project->version, 3);
  EXPECT_EQ(project->updated_at, kLater);
  EXPECT_EQ(projects.guide_asset(kProject, kPending)->status, GuideAssetStatus::pending);
  EXPECT_EQ(projects.guide_asset(kProject, kImage)->status, GuideAssetStatus::ready);
  EXPECT_EQ(projects.guide_asset(ProjectId{2}, kImage), std::nullopt);

  world.append(kProjectShard, {GuideAssetDeleted{kProject, kPending}});
  world.settle();
  EXPECT_EQ(projects.find(kProject)->version, 3) << "a pending image was shown nowhere";
  world.append(kProjectShard,
               {GuideAssetDeleted{kProject, kImage}, ProjectRemovalFinished{kProject, kImage}});
  world.settle();
  project = projects.find(kProject);
  EXPECT_EQ(project->version, 4);
  EXPECT_EQ(project->guide_assets.size(), 1U);
  EXPECT_EQ(projects.guide_asset(kProject, kImage), std::nullopt);
}

// Project 1 goes with all it has; project 5 of the same shard stays.
void fill(World& world) {
  const ProjectId other{5};
  world.append(0, {user_created(7, Role::super_admin, "Ada")});
  world.append(kProjectShard, {project_created(), project_created(other),
                               ProjectMemberAdded{kProject, UserId{2}, Role::viewer},
                               ProjectMemberAdded{other, UserId{2}, Role::viewer},
                               upload_of(kImage), GuideAssetReady{kProject, kImage, "aa"},
                               upload_of(GuideAssetId{305}, other), tasks_created(500, 2, other)});
  world.append(kDatasetShard, {dataset_created(), DatasetLinked{kDataset, kProject},
                               DatasetLinked{kDataset, other}});
  world.append(kProjectShard, {ProjectDeleted{kProject}}, {7, kLater.ms});
  world.append(0, {NameFreed{NameKind::project, 0, kProject.value, "Street 1"}});
  world.append(kDatasetShard, {DatasetUnlinked{kDataset, kProject}}, {0, kLater.ms});
  world.append(kProjectShard, {ProjectRemovalFinished{kProject, std::nullopt}});
}

TEST_P(ProjectEnds, ADeletedProjectLeavesNoRows) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.start();
  world.settle();
  const ProjectQueries projects(*world.pool);
  EXPECT_EQ(projects.find(kProject), std::nullopt);
  EXPECT_TRUE(projects.find(ProjectId{5}));
  for (const char* table : {"members", "project_classes", "guide_assets", "dataset_links",
                            "task_counts", "dataset_task_counts"}) {
    const std::string count = std::string("SELECT count(*) FROM ") + table;
    EXPECT_EQ(ask(world.database.url(), count + " WHERE project_id = 1"), "0") << table;
    EXPECT_NE(ask(world.database.url(), count + " WHERE project_id = 5"), "0") << table;
  }
  const auto dataset = DatasetQueries(*world.pool).find(kDataset);
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->linked_project_count, 1);
  EXPECT_EQ(dataset->version, 4);
  EXPECT_EQ(dataset->updated_at, kLater);
  const auto rows = load_directory(*world.pool);
  EXPECT_EQ(rows.projects.size(), 1U);
  EXPECT_EQ(rows.members.size(), 1U);
}

TEST_P(ProjectEnds, ARebuildGivesTheSameRows) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  fill(world);
  world.append(kProjectShard, {ProjectTransferred{ProjectId{5}, UserId{7}, UserId{2}},
                               GuideAssetReady{ProjectId{5}, GuideAssetId{305}, "cc"}});
  world.start();
  world.settle();
  world.stop();
  const std::string live = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, ProjectEnds, ::testing::Values(1, 2, 2000));

}  // namespace
}  // namespace annolog::projections::testing::project_end_test
