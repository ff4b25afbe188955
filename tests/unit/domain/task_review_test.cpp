// Review: send, approve, reject, accept the rejection, reopen (decisions, section 5).
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::task_review_test {
namespace {

const ApproveTask kApprove{kTask};
const RejectTask kReject{kTask, RejectReason::extra, "two boxes"};
const AcceptRejection kAccept{kTask};
const ReopenTask kReopen{kTask};
const SubmitForReview kSend{kTask};

constexpr TaskStatus kAll[] = {TaskStatus::pending,   TaskStatus::assigned, TaskStatus::in_progress,
                               TaskStatus::submitted, TaskStatus::review,   TaskStatus::rejected,
                               TaskStatus::completed};

template <class C>
void works_only_from(const C& command, UserId user, const std::vector<TaskStatus>& from) {
  for (const auto status : kAll) {
    const bool good = std::find(from.begin(), from.end(), status) != from.end();
    EXPECT_EQ(given_task(status).when(command, user).code(), good ? "ok" : "INVALID_TRANSITION")
        << to_string(status);
  }
}

TEST(TaskReview, every_step_works_from_its_statuses_only) {
  works_only_from(kApprove, kReviewer, {TaskStatus::submitted, TaskStatus::review});
  works_only_from(kReject, kReviewer, {TaskStatus::submitted, TaskStatus::review});
  works_only_from(kAccept, kAnnotator, {TaskStatus::rejected});
  works_only_from(kReopen, kReviewer, {TaskStatus::completed});
  works_only_from(kSend, kAnnotator, {TaskStatus::in_progress, TaskStatus::submitted});
}

TEST(TaskReview, approval_completes_and_remembers_who_and_when) {
  auto on = given_task(TaskStatus::review);
  on.when(kApprove, kReviewer).then({TaskApproved{kProject, kTask, kReviewer, kAnnotator}});
  on.world.happened(TaskApproved{kProject, kTask, kReviewer, kAnnotator}, {kReviewer, kNow + 5});
  EXPECT_EQ(on.world.task.status, TaskStatus::completed);
  EXPECT_EQ(on.world.task.reviewer_id, kReviewer);
  EXPECT_EQ(on.world.task.reviewed_at, kNow + 5);
}

TEST(TaskReview, a_rejection_keeps_its_reason_until_it_is_accepted) {
  auto on = given_task(TaskStatus::review);
  on.when(kReject, kReviewer)
      .then({TaskRejected{kProject, kTask, kReviewer, kAnnotator, RejectReason::extra, "two boxes",
                          kAnnotator}});
  auto rejected = given_task(TaskStatus::rejected);
  EXPECT_EQ(rejected.world.task.reject_reason_type, RejectReason::extra);
  EXPECT_EQ(rejected.world.task.reject_reason, "two boxes");
  rejected.when(kAccept, kAnnotator).then({TaskRejectionAccepted{kProject, kTask}});
  rejected.world.happened(TaskRejectionAccepted{kProject, kTask}, {kAnnotator, kNow});
  EXPECT_EQ(rejected.world.task.status, TaskStatus::in_progress);
  EXPECT_EQ(rejected.world.task.reject_reason_type, std::nullopt);
  EXPECT_EQ(rejected.world.task.reject_reason, std::nullopt);
}

TEST(TaskReview, a_reason_has_at_most_2000_characters) {
  RejectTask command = kReject;
  std::string two_thousand;
  for (int i = 0; i < 2000; ++i) two_thousand += "\xE2\x82\xAC";
  command.reason = two_thousand;
  EXPECT_EQ(given_task(TaskStatus::review).when(command, kReviewer).code(), "ok");
  command.reason = std::string(2001, 'x');
  given_task(TaskStatus::review).when(command, kReviewer).then_invalid({"length"});
}

TEST(TaskReview, only_reviewers_and_above_review) {
  struct Row {
    UserId user;
    const char* code;
  };
  const Row rows[] = {{kViewer, "FORBIDDEN"}, {kAnnotator, "FORBIDDEN"},
                      {kOther, "FORBIDDEN"},  {kReviewer, "ok"},
                      {kAdmin, "ok"},         {kOwner, "ok"},
                      {kRoot, "ok"},          {kStranger, "NOT_FOUND"}};
  for (const auto& row : rows) {
    EXPECT_EQ(given_task(TaskStatus::review).when(kApprove, row.user).code(), row.code)
        << row.user.value;
    EXPECT_EQ(given_task(TaskStatus::review).when(kReject, row.user).code(), row.code)
        << row.user.value;
  }
}

TEST(TaskReview, nobody_reviews_their_own_submission_unless_owner) {
  const auto submitted_by = [](UserId user) {
    auto on = given_task(TaskStatus::in_progress);
    on.world.happened(TaskSubmitted{kProject, kTask, user}, {user, kNow});
    return on;
  };
  for (const UserId user : {kReviewer, kAdmin}) {
    submitted_by(user).when(kApprove, user).then_fails("SELF_REVIEW");
    submitted_by(user).when(kReject, user).then_fails("SELF_REVIEW");
  }
  EXPECT_EQ(submitted_by(kOwner).when(kApprove, kOwner).code(), "ok");
  EXPECT_EQ(submitted_by(kRoot).when(kReject, kRoot).code(), "ok");
  EXPECT_EQ(submitted_by(kReviewer).when(kApprove, kAdmin).code(), "ok");
}

TEST(TaskReview, a_task_that_another_holds_is_not_reviewed) {
  const std::vector<Past> locked{{Event{TaskLocked{kProject, kTask, kAdmin, kLockEnd}}, kAdmin}};
  given_task(TaskStatus::review, false, locked).when(kApprove, kReviewer).then_fails("TASK_LOCKED");
  EXPECT_EQ(given_task(TaskStatus::review, false, locked).when(kApprove, kAdmin).code(), "ok");
  EXPECT_EQ(
      given_task(TaskStatus::review, false, locked).when(kApprove, kReviewer, kLockEnd).code(),
      "ok");
}

TEST(TaskReview, sending_begun_work_submits_it_first) {
  given_task(TaskStatus::in_progress)
      .when(kSend, kAnnotator)
      .then({TaskSubmitted{kProject, kTask, kAnnotator}, TaskSentToReview{kProject, kTask}});
  given_task(TaskStatus::submitted)
      .when(kSend, kAnnotator)
      .then({TaskSentToReview{kProject, kTask}});
  given_task(TaskStatus::submitted).when(kSend, kOther).then_fails("FORBIDDEN");
  EXPECT_EQ(given_task(TaskStatus::submitted).when(kSend, kReviewer).code(), "ok");
}

TEST(TaskReview, the_assignee_or_the_owner_accepts_a_rejection) {
  EXPECT_EQ(given_task(TaskStatus::rejected).when(kAccept, kOwner).code(), "ok");
  for (const UserId user : {kOther, kReviewer, kAdmin}) {
    given_task(TaskStatus::rejected).when(kAccept, user).then_fails("FORBIDDEN");
  }
}

TEST(TaskReview, reopening_goes_back_to_work_and_names_the_reviewer) {
  auto on = given_task(TaskStatus::completed);
  on.when(kReopen, kAnnotator).then({TaskReopened{kProject, kTask, kReviewer}});
  EXPECT_EQ(on.when(kReopen, kReviewer).code(), "ok");
  EXPECT_EQ(on.when(kReopen, kOther).code(), "FORBIDDEN");
  EXPECT_EQ(on.when(kReopen, kViewer).code(), "FORBIDDEN");
  on.world.happened(TaskReopened{kProject, kTask, kReviewer}, {kAnnotator, kNow});
  EXPECT_EQ(on.world.task.status, TaskStatus::in_progress);
  EXPECT_EQ(on.world.task.reopened_count, 1);
}

TEST(TaskReview, submission_clears_lock_reason_and_skip_mark) {
  auto on = given_task(TaskStatus::rejected);
  on.world.task.skipped_at = kNow;
  on.world.task.lock = Lock{kAnnotator, kLockEnd};
  on.world.happened(TaskSubmitted{kProject, kTask, kAnnotator}, {kAnnotator, kNow + 1});
  const auto& task = on.world.task;
  EXPECT_EQ(task.status, TaskStatus::submitted);
  EXPECT_EQ(task.lock, std::nullopt);
  EXPECT_EQ(task.reject_reason, std::nullopt);
  EXPECT_EQ(task.reject_reason_type, std::nullopt);
  EXPECT_EQ(task.skipped_at, std::nullopt);
  EXPECT_EQ(task.submitted_at, kNow + 1);
}

}  // namespace
}  // namespace annolog::testing::task_review_test
