// A dataset leaves a project (domain/project/unlinking.hpp).
#include "domain/project/unlinking.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::unlinking_test {
namespace {

constexpr std::int64_t kLink = 4;
constexpr Unlinking kEnded{kProject, kDataset, kLink, false};
constexpr Unlinking kEndedForGood{kProject, kDataset, kLink, true};

Outcome unlinked_by(UserId user, const std::optional<Unlinking>& before = std::nullopt,
                    std::int64_t link = kLink, std::vector<Past> past = project_with_members()) {
  auto on = given(std::move(past));
  const Context context{user, Role::project_admin, kNow};
  return Outcome(
      decide(on.world.project, before, UnlinkDataset{kProject, kDataset, link}, context));
}

TEST(Unlinking, is_for_whoever_administers_the_project) {
  for (const UserId user : {kOwner, kAdmin})
    unlinked_by(user).then({ProjectDatasetUnlinked{kProject, kDataset, kLink}});
  for (const UserId user : {kReviewer, kAnnotator, kViewer})
    unlinked_by(user).then_fails("FORBIDDEN");
  unlinked_by(kStranger).then_fails("NOT_FOUND");
}

TEST(Unlinking, an_archived_project_keeps_its_datasets) {
  auto past = project_with_members();
  ProjectUpdated archived;
  archived.project_id = kProject;
  archived.status = ProjectStatus::archived;
  past.emplace_back(Event{archived});
  unlinked_by(kOwner, std::nullopt, kLink, past).then_fails("PROJECT_ARCHIVED");
}

TEST(Unlinking, what_is_not_linked_is_not_found) {
  unlinked_by(kOwner, std::nullopt, 0).then_fails("NOT_FOUND");
  unlinked_by(kOwner, kEndedForGood, 0).then_fails("NOT_FOUND");
}

TEST(Unlinking, a_link_ends_once_and_a_later_one_ends_anew) {
  unlinked_by(kOwner, kEnded).then_nothing();
  unlinked_by(kOwner, kEndedForGood).then_nothing();
  unlinked_by(kOwner, kEndedForGood, kLink + 1)
      .then({ProjectDatasetUnlinked{kProject, kDataset, kLink + 1}});
}

TEST(Unlinking, ends_its_link_and_earlier_ones) {
  EXPECT_TRUE(kEnded.ends(kLink));
  EXPECT_TRUE(kEnded.ends(kLink - 1));
  EXPECT_FALSE(kEnded.ends(kLink + 1));
}

TaskBatch batch_with(BatchId id, BatchStatus status, std::int64_t pending, std::int64_t submitted) {
  TaskBatch batch;
  batch.batch.id = id;
  batch.batch.project_id = kProject;
  batch.batch.status = status;
  batch.batch.annotator_id = kAnnotator;
  batch.progress.pending = pending;
  batch.progress.submitted = submitted;
  return batch;
}

TEST(Unlinking, a_batch_that_keeps_only_done_work_goes_to_review) {
  const RemoveDatasetTasks step{kProject, kDataset, kLink};
  const std::vector<LeavingTask> tasks{{TaskId{1}, kBatch, TaskStatus::pending}};
  const TasksRemoved removed{kProject, kDataset, {TaskId{1}}};
  const BatchMoved moved{.project_id = kProject,
                         .batch_id = kBatch,
                         .from = BatchStatus::annotating,
                         .to = BatchStatus::reviewing,
                         .automatic = true,
                         .reason = std::nullopt,
                         .review_feedback = std::nullopt,
                         .annotator_id = kAnnotator,
                         .reviewer_id = std::nullopt};
  EXPECT_EQ(remove_tasks(step, tasks, {batch_with(kBatch, BatchStatus::annotating, 1, 1)}),
            (Events{removed, moved}));
  EXPECT_EQ(remove_tasks(step, tasks, {batch_with(kBatch, BatchStatus::annotating, 2, 1)}),
            (Events{removed}))
      << "work is left";
  for (const auto status : {BatchStatus::draft, BatchStatus::active, BatchStatus::reviewing,
                            BatchStatus::approved, BatchStatus::rejected, BatchStatus::archived}) {
    EXPECT_EQ(remove_tasks(step, tasks, {batch_with(kBatch, status, 1, 1)}), (Events{removed}))
        << to_string(status);
  }
}

TEST(Unlinking, a_batch_goes_with_the_last_of_its_tasks) {
  const RemoveDatasetTasks step{kProject, kDataset, kLink};
  const std::vector<LeavingTask> tasks{{TaskId{1}, std::nullopt},
                                       {TaskId{2}, BatchId{7}},
                                       {TaskId{3}, BatchId{7}},
                                       {TaskId{4}, BatchId{8}}};
  const Events events = remove_tasks(step, tasks,
                                     {batch_with(BatchId{7}, BatchStatus::annotating, 2, 0),
                                      batch_with(BatchId{8}, BatchStatus::annotating, 2, 0)});
  EXPECT_EQ(events,
            (Events{TasksRemoved{kProject, kDataset, {TaskId{1}, TaskId{2}, TaskId{3}, TaskId{4}}},
                    BatchDeleted{kProject, BatchId{7}}}));
  EXPECT_TRUE(remove_tasks(step, {}, {}).empty());
}

TEST(Unlinking, is_finished_once) {
  const FinishUnlinking finish{kProject, kDataset, kLink};
  Outcome(decide(kEnded, finish)).then({ProjectUnlinkFinished{kProject, kDataset}});
  Outcome(decide(kEndedForGood, finish)).then_nothing();
  Outcome(decide(std::nullopt, finish)).then_nothing();
  Outcome(decide(kEnded, FinishUnlinking{kProject, kDataset, kLink - 1})).then_nothing();
}

TEST(Unlinking, nothing_is_linked_anew_while_tasks_go) {
  auto on = given(project_with_members());
  const Context owner{kOwner, Role::project_admin, kNow};
  const CheckLinkAllowed asked{kProject, kDataset};
  Outcome(decide(on.world.project, asked, owner, true)).then_fails("UNLINK_UNDER_WAY");
  Outcome(decide(on.world.project, asked, owner, false)).then_nothing();
}

TEST(Unlinking, the_dataset_drops_the_link_that_ended_and_no_later_one) {
  auto on = given({Event{DatasetCreated{kDataset, "Photos", "", DataType::image, kOwner}},
                   Event{DatasetLinked{kDataset, kProject}}});
  const std::int64_t number = on.world.dataset.links.at(kProject).number;
  Outcome(decide(on.world.dataset, DropLink{kDataset, kProject, number - 1})).then_nothing();
  Outcome(decide(on.world.dataset, DropLink{kDataset, kProject, number}))
      .then({DatasetUnlinked{kDataset, kProject}});
  on.world.happened(DatasetUnlinked{kDataset, kProject}, {kSystemUser, kNow});
  Outcome(decide(on.world.dataset, DropLink{kDataset, kProject, number})).then_nothing();
  on.world.happened(DatasetLinked{kDataset, kProject}, {kOwner, kNow});
  EXPECT_GT(on.world.dataset.links.at(kProject).number, number);
}

TEST(Unlinking, a_late_mark_of_the_ended_link_does_not_move_the_new_one) {
  auto on = given({Event{DatasetCreated{kDataset, "Photos", "", DataType::image, kOwner}},
                   Event{DatasetLinked{kDataset, kProject}}});
  const std::int64_t ended = on.world.dataset.links.at(kProject).number;
  on.world.happened(DatasetUnlinked{kDataset, kProject}, {kSystemUser, kNow});
  on.world.happened(DatasetLinked{kDataset, kProject}, {kOwner, kNow});
  const std::int64_t number = on.world.dataset.links.at(kProject).number;
  on.when(AdvanceLink{kDataset, kProject, 5, ended}).then_nothing();
  on.when(AdvanceLink{kDataset, kProject, 5, number})
      .then({DatasetLinkAdvanced{kDataset, kProject, 5}});
}

}  // namespace
}  // namespace annolog::testing::unlinking_test
