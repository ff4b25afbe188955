// Locks: taken, renewed, given back, expired (decisions, section 5).
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::task_lock_test {
namespace {

const LockTask kLock{kTask};
const UnlockTask kUnlock{kTask};

std::vector<Past> locked_by(UserId user) {
  return {{Event{TaskLocked{kProject, kTask, user, kLockEnd}}, user}};
}

TEST(TaskLock, a_lock_on_a_task_without_work_begins_it) {
  for (const auto status : {TaskStatus::pending, TaskStatus::assigned}) {
    given_task(status)
        .when(kLock, kAnnotator)
        .then({TaskTaken{kProject, kTask, kAnnotator, kLockEnd}});
  }
}

TEST(TaskLock, a_lock_on_begun_work_leaves_its_status_and_assignee) {
  for (const auto status : {TaskStatus::in_progress, TaskStatus::rejected}) {
    auto on = given_task(status);
    on.when(kLock, kAnnotator).then({TaskLocked{kProject, kTask, kAnnotator, kLockEnd}});
    on.world.happened(TaskLocked{kProject, kTask, kOther, kLockEnd}, {kOther, kNow});
    EXPECT_EQ(on.world.task.status, status);
    EXPECT_EQ(on.world.task.assignee_id, kAnnotator);
  }
}

TEST(TaskLock, the_holder_renews) {
  given_task(TaskStatus::in_progress, false, locked_by(kAnnotator))
      .when(kLock, kAnnotator, kNow + 1000)
      .then({TaskLockRenewed{kProject, kTask, kAnnotator, kLockEnd + 1000}});
}

TEST(TaskLock, held_by_another_is_refused_with_who_and_until_when) {
  const auto outcome =
      given_task(TaskStatus::in_progress, false, locked_by(kAnnotator)).when(kLock, kOther);
  outcome.then_fails("TASK_LOCKED");
  EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
  EXPECT_EQ(
      outcome.result().error().detail,
      (DomainError::Detail{{"locked_by", kAnnotator.value}, {"expires_at", to_rfc3339(kLockEnd)}}));
}

TEST(TaskLock, at_the_very_instant_of_expiry_it_is_as_no_lock) {
  const auto more = locked_by(kAnnotator);
  given_task(TaskStatus::in_progress, false, more)
      .when(kLock, kOther, Timestamp{kLockEnd.ms - 1})
      .then_fails("TASK_LOCKED");
  given_task(TaskStatus::in_progress, false, more)
      .when(kLock, kOther, kLockEnd)
      .then({TaskLocked{kProject, kTask, kOther, kLockEnd + kDefaultLockMs}});
  given_task(TaskStatus::in_progress, false, more)
      .when(kLock, kAnnotator, kLockEnd)
      .then({TaskLocked{kProject, kTask, kAnnotator, kLockEnd + kDefaultLockMs}});
  given_task(TaskStatus::in_progress, false, more).when(kUnlock, kOther, kLockEnd).then_nothing();
}

TEST(TaskLock, who_may_lock_in_which_status) {
  struct Row {
    TaskStatus status;
    UserId user;
    const char* code;
  };
  const Row rows[] = {
      {TaskStatus::pending, kOther, "ok"},
      {TaskStatus::pending, kViewer, "FORBIDDEN"},
      {TaskStatus::pending, kStranger, "NOT_FOUND"},
      {TaskStatus::assigned, kOther, "TASK_ASSIGNED"},
      {TaskStatus::assigned, kReviewer, "TASK_ASSIGNED"},
      {TaskStatus::assigned, kAnnotator, "ok"},
      {TaskStatus::in_progress, kOther, "ok"},
      {TaskStatus::submitted, kAnnotator, "TASK_NOT_EDITABLE"},
      {TaskStatus::submitted, kReviewer, "ok"},
      {TaskStatus::review, kAnnotator, "TASK_NOT_EDITABLE"},
      {TaskStatus::review, kReviewer, "ok"},
      {TaskStatus::completed, kAnnotator, "TASK_NOT_EDITABLE"},
      {TaskStatus::completed, kOwner, "TASK_NOT_EDITABLE"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(given_task(row.status).when(kLock, row.user).code(), row.code)
        << to_string(row.status) << " " << row.user.value;
  }
}

TEST(TaskLock, is_given_back_by_its_holder_or_the_owner) {
  const auto more = locked_by(kAnnotator);
  const Events given_back{TaskUnlocked{kProject, kTask, kAnnotator}};
  given_task(TaskStatus::in_progress, false, more).when(kUnlock, kAnnotator).then(given_back);
  given_task(TaskStatus::in_progress, false, more).when(kUnlock, kOwner).then(given_back);
  given_task(TaskStatus::in_progress, false, more).when(kUnlock, kRoot).then(given_back);
  for (const UserId user : {kOther, kReviewer, kAdmin}) {
    given_task(TaskStatus::in_progress, false, more).when(kUnlock, user).then_fails("TASK_LOCKED");
  }
  given_task(TaskStatus::in_progress).when(kUnlock, kOther).then_nothing();
}

TEST(TaskLock, nothing_is_locked_in_an_archived_project) {
  auto on = given_task(TaskStatus::pending);
  on.world.project.status = ProjectStatus::archived;
  on.when(kLock, kReviewer).then_fails("PROJECT_ARCHIVED");
  on.when(kLock, kAnnotator).then_fails("NOT_FOUND");  // who doesn't see it
}

TEST(TaskLock, an_unknown_task_is_not_found) {
  given(project_with_members()).when(kLock, kAnnotator).then_fails("NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::task_lock_test
