// Commands about tasks meet the batch: which of its statuses let work through, whose work it is,
// and how a task is skipped (spec, "Task"; decisions, sections 4 and 5).
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_gate_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;

constexpr std::array kAll{S::draft,    S::active,   S::annotating, S::reviewing,
                          S::approved, S::rejected, S::archived};
constexpr std::array kTaskStatuses{T::pending, T::assigned, T::in_progress, T::submitted,
                                   T::review,  T::rejected, T::completed};
const SkipTask kSkip{kTask, std::nullopt};

// The task at `task` in a batch of kAnnotator and kReviewer.
Given task_in(S batch, T task, const std::vector<Past>& more = {}) {
  auto on = given_task(task, false, more);
  on.world.batch =
      TaskBatch{born(BatchCreated{kProject, kBatch, kBatchNumber, "Night", kAnnotator, kReviewer},
                     {kOwner, kNow}),
                {}};
  on.world.batch->batch.status = batch;
  on.world.task.batch_id = kBatch;
  ++on.world.batch->progress.of(task);
  return on;
}

std::vector<Past> with_annotation(bool deleted) {
  std::vector<Past> past{{Event{TaskAnnotationsAdded{kProject, kTask, {made(100)}}}, kAnnotator}};
  if (deleted) {
    past.emplace_back(
        Event{AnnotationDeleted{kProject, kTask, AnnotationId{100}, ClassId{1}, 2, false}},
        kAnnotator);
  }
  return past;
}

std::vector<Past> locked_by(UserId user) {
  return {{Event{TaskLocked{kProject, kTask, user, kLockEnd}}, user}};
}

// `command` would be done outside a batch; in one, while the batch is one of `open`.
template <class C>
void works_while(const std::vector<S>& open, const C& command, UserId user, T task,
                 const std::vector<Past>& more = {}) {
  ASSERT_EQ(given_task(task, false, more).when(command, user).code(), "ok");
  for (const S status : kAll) {
    SCOPED_TRACE(to_string(status));
    const bool good = std::find(open.begin(), open.end(), status) != open.end();
    const auto outcome = task_in(status, task, more).when(command, user);
    ASSERT_EQ(outcome.code(), good ? "ok" : "BATCH_NOT_OPEN");
    if (good) continue;
    EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
    EXPECT_EQ(outcome.result().error().detail,
              (DomainError::Detail{{"batch_id", kBatch.value},
                                   {"status", std::string(to_string(status))}}));
  }
}

const std::vector<S> kOpen{S::active, S::annotating, S::reviewing};

TEST(BatchGate, work_happens_in_active_annotating_and_reviewing_batches) {
  works_while(kOpen, LockTask{kTask}, kAnnotator, T::assigned);
  works_while(kOpen, LockTask{kTask}, kAnnotator, T::rejected);
  works_while(kOpen, AddAnnotations{kTask, {box()}, true}, kAnnotator, T::in_progress);
  works_while(kOpen, AddAnnotations{kTask, {box()}, false}, kReviewer, T::submitted);
  UpdateAnnotation update;
  update.task_id = kTask;
  update.annotation_id = AnnotationId{100};
  update.class_name = "bus";
  works_while(kOpen, update, kAnnotator, T::in_progress, with_annotation(false));
  works_while(kOpen, DeleteAnnotation{kTask, AnnotationId{100}, {}}, kAnnotator, T::in_progress,
              with_annotation(false));
  works_while(kOpen, RestoreAnnotation{kTask, AnnotationId{100}, {}}, kAnnotator, T::in_progress,
              with_annotation(true));
  works_while(kOpen, kSkip, kAnnotator, T::in_progress);
  works_while(kOpen, SubmitForReview{kTask}, kAnnotator, T::in_progress);
  works_while(kOpen, AcceptRejection{kTask}, kAnnotator, T::rejected);
  works_while(kOpen, ReopenTask{kTask}, kReviewer, T::completed);
}

TEST(BatchGate, a_lock_is_given_back_whatever_the_batch) {
  const std::vector<S> all(kAll.begin(), kAll.end());
  works_while(all, UnlockTask{kTask}, kAnnotator, T::in_progress, locked_by(kAnnotator));
}

TEST(BatchGate, nothing_is_reviewed_in_an_archived_batch) {
  const std::vector<S> all_but_archived(kAll.begin(), kAll.end() - 1);
  works_while(all_but_archived, ApproveTask{kTask}, kReviewer, T::review);
  works_while(all_but_archived, RejectTask{kTask, RejectReason::extra, {}}, kReviewer, T::review);
}

TEST(BatchGate, who_may_not_is_not_told_how_the_batch_stands) {
  for (const S status : kAll) {
    auto on = task_in(status, T::assigned);
    on.when(LockTask{kTask}, kViewer).then_fails("FORBIDDEN");
    on.when(LockTask{kTask}, kStranger).then_fails("NOT_FOUND");
    on.when(kSkip, kViewer).then_fails("FORBIDDEN");
    on.when(kSkip, kStranger).then_fails("NOT_FOUND");
  }
}

TEST(BatchGate, work_not_begun_is_the_annotators_own) {
  for (const T status : {T::assigned, T::pending}) {
    auto on = task_in(S::active, status);
    const auto refused = on.when(LockTask{kTask}, kOther);
    refused.then_fails("TASK_ASSIGNED");
    EXPECT_EQ(refused.result().error().kind, DomainError::Kind::conflict);
    EXPECT_EQ(refused.result().error().detail,
              (DomainError::Detail{{"assignee_id", kAnnotator.value}}));
    on.when(LockTask{kTask}, kAnnotator).then({TaskTaken{kProject, kTask, kAnnotator, kLockEnd}});
    for (const UserId user : {kReviewer, kAdmin, kOwner}) {
      const auto theirs = on.when(LockTask{kTask}, user);
      if (status == T::assigned) theirs.then_fails("TASK_ASSIGNED");
      else theirs.then({TaskTaken{kProject, kTask, user, kLockEnd}});
    }
  }
}

TEST(BatchGate, in_a_batch_of_nobody_whoever_comes_first_begins) {
  auto on = task_in(S::active, T::pending);
  on.world.batch->batch.annotator_id.reset();
  on.when(LockTask{kTask}, kOther).then({TaskTaken{kProject, kTask, kOther, kLockEnd}});
}

// --- Begun work that a change of people left to nobody.

Given left_to_nobody(T task) {
  auto on = task_in(S::annotating, task);
  auto& batch = on.world.batch->batch;
  on.world.task.batch_change = batch.change;
  evolve(batch, BatchAssigned{kProject, kBatch, std::nullopt, kReviewer, true, false},
         {kAdmin, kNow});
  on.world.task = caught_up(on.world.task, batch);
  EXPECT_EQ(on.world.task.status, task);
  EXPECT_EQ(on.world.task.assignee_id, std::nullopt);
  return on;
}

TEST(NobodysWork, is_theirs_who_takes_it_first) {
  for (const UserId user : {kAnnotator, kOther, kReviewer}) {
    left_to_nobody(T::in_progress)
        .when(LockTask{kTask}, user)
        .then({TaskTaken{kProject, kTask, user, kLockEnd}});
  }
  auto on = left_to_nobody(T::in_progress);
  on.world.happened(TaskTaken{kProject, kTask, kOther, kLockEnd}, {kOther, kNow});
  on.when(LockTask{kTask}, kAnnotator).then_fails("TASK_LOCKED");
  on.when(AddAnnotations{kTask, {}, true}, kOther).then({TaskSubmitted{kProject, kTask, kOther}});
}

TEST(NobodysWork, keeps_its_rejection_until_its_holder_takes_it_up) {
  auto on = left_to_nobody(T::rejected);
  on.when(AcceptRejection{kTask}, kOther).then_fails("FORBIDDEN");
  on.when(AddAnnotations{kTask, {}, true}, kOther).then_fails("TASK_NOT_EDITABLE");
  on.when(LockTask{kTask}, kOther).then({TaskLocked{kProject, kTask, kOther, kLockEnd}});
  on.world.happened(TaskLocked{kProject, kTask, kOther, kLockEnd}, {kOther, kNow});
  EXPECT_EQ(on.world.task.status, T::rejected);
  const TaskRejectionAccepted accepted{kProject, kTask};
  const TaskTaken taken{kProject, kTask, kOther, kLockEnd};
  on.when(AcceptRejection{kTask}, kOther).then({accepted, taken});
  on.when(AddAnnotations{kTask, {}, true}, kOther)
      .then({accepted, taken, TaskSubmitted{kProject, kTask, kOther}});
  on.when(kSkip, kOther).then({TaskSkipped{kProject, kTask, kOther, std::nullopt}});
  for (const UserId user : {kAnnotator, kReviewer}) {
    on.when(AddAnnotations{kTask, {}, true}, user).then_fails("TASK_LOCKED");
    on.when(LockTask{kTask}, user).then_fails("TASK_LOCKED");
  }
  on.when(AcceptRejection{kTask}, kOther, kLockEnd).then_fails("FORBIDDEN");
}

TEST(NobodysWork, that_an_owner_accepts_unheld_stays_nobodys) {
  left_to_nobody(T::rejected)
      .when(AcceptRejection{kTask}, kOwner)
      .then({TaskRejectionAccepted{kProject, kTask}});
}

// --- Skipping.

TEST(TaskSkip, unfinished_work_is_skipped_and_nothing_else) {
  for (const T status : kTaskStatuses) {
    SCOPED_TRACE(to_string(status));
    const bool good = status == T::assigned || status == T::in_progress || status == T::rejected;
    for (auto on : {given_task(status), task_in(S::annotating, status)}) {
      const auto outcome = on.when(kSkip, kAnnotator);
      if (good) outcome.then({TaskSkipped{kProject, kTask, kAnnotator, std::nullopt}});
      if (!good) outcome.then_fails("INVALID_TRANSITION");
    }
  }
}

TEST(TaskSkip, puts_the_task_back_as_nobodys) {
  for (const T status : {T::assigned, T::in_progress, T::rejected}) {
    SCOPED_TRACE(to_string(status));
    auto on = given_task(status);
    on.world.task.lock = Lock{kAnnotator, kLockEnd};
    const auto before = on.world.task;
    on.world.happened(TaskSkipped{kProject, kTask, kAnnotator, "too dark"}, {kAnnotator, kNow + 5});
    const auto& task = on.world.task;
    EXPECT_EQ(task.status, T::pending);
    EXPECT_EQ(task.assignee_id, std::nullopt);
    EXPECT_EQ(task.lock, std::nullopt);
    EXPECT_EQ(task.skipped_at, kNow + 5);
    EXPECT_EQ(task.reject_reason, std::nullopt);
    EXPECT_EQ(task.reject_reason_type, std::nullopt);
    EXPECT_EQ(task.annotation_count, before.annotation_count);
    EXPECT_EQ(task.version, before.version + 1);
    EXPECT_EQ(task.updated_at, kNow + 5);
  }
}

TEST(TaskSkip, the_mark_goes_with_the_submission) {
  auto on = given_task(T::in_progress);
  on.world.happened(TaskSkipped{kProject, kTask, kAnnotator, {}}, {kAnnotator, kNow});
  on.world.happened(TaskTaken{kProject, kTask, kOther, kLockEnd}, {kOther, kNow});
  EXPECT_EQ(on.world.task.skipped_at, kNow);
  on.world.happened(TaskSubmitted{kProject, kTask, kOther}, {kOther, kNow});
  EXPECT_EQ(on.world.task.skipped_at, std::nullopt);
}

TEST(TaskSkip, is_for_the_assignee_and_reviewers) {
  struct Row {
    UserId user;
    const char* code;
  };
  constexpr Row kRows[] = {{kAnnotator, "ok"},     {kOther, "TASK_ASSIGNED"},
                           {kReviewer, "ok"},      {kAdmin, "ok"},
                           {kOwner, "ok"},         {kRoot, "ok"},
                           {kViewer, "FORBIDDEN"}, {kStranger, "NOT_FOUND"}};
  for (const auto& row : kRows) {
    for (const T status : {T::assigned, T::in_progress, T::rejected}) {
      EXPECT_EQ(given_task(status).when(kSkip, row.user).code(), row.code)
          << to_string(status) << " " << row.user.value;
    }
  }
  EXPECT_EQ(given_task(T::in_progress, false, locked_by(kOther)).when(kSkip, kOther).code(),
            "TASK_ASSIGNED");
}

TEST(TaskSkip, a_task_that_another_holds_is_not_skipped) {
  for (const UserId user : {kAnnotator, kReviewer, kOwner}) {
    auto on = given_task(T::in_progress, false, locked_by(kOther));
    on.when(kSkip, user).then_fails("TASK_LOCKED");
    EXPECT_EQ(on.when(kSkip, user, kLockEnd).code(), "ok");
  }
}

TEST(TaskSkip, a_reason_has_at_most_2000_characters) {
  std::string longest;
  for (int i = 0; i < 2000; ++i) longest += "\xE2\x82\xAC";
  given_task(T::in_progress)
      .when(SkipTask{kTask, longest}, kAnnotator)
      .then({TaskSkipped{kProject, kTask, kAnnotator, longest}});
  const auto outcome =
      given_task(T::in_progress).when(SkipTask{kTask, std::string(2001, 'x')}, kAnnotator);
  outcome.then_invalid({"length"});
  ASSERT_EQ(outcome.result().error().errors.size(), 1U);
  EXPECT_EQ(outcome.result().error().errors[0].loc, (Location{std::string("reason")}));
}

TEST(TaskSkip, nothing_is_skipped_in_an_archived_project) {
  auto on = given_task(T::in_progress);
  on.world.project.status = ProjectStatus::archived;
  on.when(kSkip, kReviewer).then_fails("PROJECT_ARCHIVED");
  on.when(kSkip, kAnnotator).then_fails("NOT_FOUND");  // who doesn't see it any more
  given(project_with_members()).when(kSkip, kAnnotator).then_fails("NOT_FOUND");
}

TEST(ArchivedBatch, keeps_its_people_and_may_be_renamed) {
  auto on = given_batch(S::archived);
  UpdateBatch wish{kProject, {kBatch.value, 0, {}}, {}, {}, {}, {}, {}};
  wish.name = "old work";
  on.when(wish).then({BatchRenamed{kProject, kBatch, "old work"}});
  wish.annotator_id = Patch<UserId>::null();
  on.when(wish).then_fails("BATCH_ARCHIVED");
}

}  // namespace
}  // namespace annolog::testing::batch_gate_test
