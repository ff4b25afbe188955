// Every pair of batch statuses by every kind of caller, against a table typed from the law (spec,
// "States and transitions", Batch; decisions, sections 2 and 4); then the conditions, one by one.
#include <string>

#include "domain/batch/transitions.hpp"
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/batch_steps.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_transitions_test {
namespace {

using S = BatchStatus;

struct Caller {
  UserId user;
  std::string_view may;  // the steps of kSteps that they may take
  const char* name;
};
constexpr std::array kCallers{
    Caller{kViewer, "", "viewer"},
    Caller{kOther, "", "annotator, not the batch's"},
    Caller{kAnnotator, "N", "the batch's annotator"},
    Caller{kSecondReviewer, "", "reviewer, not the batch's"},
    Caller{kReviewer, "R", "the batch's reviewer"},
    Caller{kAdmin, "ANR", "project_admin"},
    Caller{kOwner, "ANRO", "owner"},
    Caller{kRoot, "ANRO", "super_admin"},
};

// Everything that a step may ask for.
MoveBatch move_to(S target) { return {kProject, {kBatch.value, 0, {}}, target, "why", "redo"}; }

MoveBatch plain_move(S target) {
  return {kProject, {kBatch.value, 0, {}}, target, std::nullopt, std::nullopt};
}

ResetBatch reset_with(std::string reason) {
  return {kProject, {kBatch.value, 0, {}}, std::move(reason)};
}

BatchMoved moved(S from, S to, std::optional<std::string> reason = "why",
                 std::optional<std::string> feedback = "redo") {
  return {.project_id = kProject,
          .batch_id = kBatch,
          .from = from,
          .to = to,
          .automatic = false,
          .reason = std::move(reason),
          .review_feedback = std::move(feedback),
          .annotator_id = kAnnotator,
          .reviewer_id = kReviewer};
}

std::string repeated(const std::string& one, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += one;
  return all;
}

char step_of(std::size_t from, std::size_t to) { return kSteps.at(from).at(to); }

TEST(BatchTransitions, every_step_by_every_caller) {
  int moves = 0;
  for (std::size_t from = 0; from < kAll.size(); ++from) {
    for (std::size_t to = 0; to < kAll.size(); ++to) {
      for (const auto& caller : kCallers) {
        SCOPED_TRACE(std::string(to_string(kAll.at(from))) + " -> " + to_string(kAll.at(to)) +
                     " by " + caller.name);
        auto on = given_batch(kAll.at(from));
        if (kAll.at(to) == S::annotating) on.world.batch->progress.assigned = 1;
        const auto outcome = on.when(move_to(kAll.at(to)), caller.user);
        const char step = step_of(from, to);
        if (step == '.') {
          outcome.then_fails("INVALID_TRANSITION");
        } else if (caller.may.find(step) == std::string_view::npos) {
          outcome.then_fails("FORBIDDEN");
        } else {
          ++moves;
          outcome.then({moved(kAll.at(from), kAll.at(to))});
          on.world.happened(moved(kAll.at(from), kAll.at(to)), {caller.user, kNow + 9});
          EXPECT_EQ(on.world.batch->batch.status, kAll.at(to));
          EXPECT_EQ(on.world.batch->batch.version, 2);
          EXPECT_EQ(on.world.batch->batch.updated_at, kNow + 9);
        }
      }
    }
  }
  EXPECT_EQ(moves, 3 * 3 + 4 + 2 * 4 + 9 * 2);  // A: 3, N: 1, R: 2, O: 9 steps
}

TEST(BatchTransitions, an_impossible_step_names_where_it_stands_and_what_is_allowed) {
  for (std::size_t from = 0; from < kAll.size(); ++from) {
    std::vector<std::string> allowed;
    for (std::size_t to = 0; to < kAll.size(); ++to) {
      if (step_of(from, to) != '.') allowed.emplace_back(to_string(kAll.at(to)));
    }
    std::sort(allowed.begin(), allowed.end());
    auto on = given_batch(kAll.at(from));
    const auto outcome = on.when(move_to(S::draft));
    ASSERT_FALSE(outcome.result());
    auto error = outcome.result().error();
    EXPECT_EQ(error.kind, DomainError::Kind::conflict);
    ASSERT_EQ(error.detail.size(), 3U);
    auto& found = std::get<std::vector<std::string>>(error.detail[2].second);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(error.detail, (DomainError::Detail{{"from", std::string(to_string(kAll.at(from)))},
                                                 {"to", std::string("draft")},
                                                 {"allowed", allowed}}));
  }
}

TEST(BatchTransitions, who_does_not_see_the_project_sees_no_batch) {
  for (const S from : kAll) {
    for (const S to : kAll) {
      given_batch(from).when(move_to(to), kStranger).then_fails("NOT_FOUND");
    }
    given_batch(from).when(reset_with("start it over"), kStranger).then_fails("NOT_FOUND");
  }
  given(project_with_members()).when(move_to(S::active), kOwner).then_fails("NOT_FOUND");
  given(project_with_members()).when(reset_with("start it over")).then_fails("NOT_FOUND");
}

TEST(BatchTransitions, the_batchs_people_act_with_the_role_they_have_now) {
  auto lowered = given_batch(S::annotating);
  lowered.world.project.members[kAnnotator].role = Role::viewer;
  lowered.when(move_to(S::reviewing), kAnnotator).then_fails("FORBIDDEN");
  auto no_reviewer = given_batch(S::reviewing);
  no_reviewer.world.project.members[kReviewer].role = Role::annotator;
  no_reviewer.when(move_to(S::approved), kReviewer).then_fails("FORBIDDEN");
  no_reviewer.when(move_to(S::rejected), kReviewer).then_fails("FORBIDDEN");
}

TEST(BatchTransitions, a_batch_without_people_is_nobodys) {
  auto on = given_batch(S::reviewing);
  on.world.batch->batch.reviewer_id.reset();
  on.when(move_to(S::approved), kReviewer).then_fails("FORBIDDEN");
  EXPECT_EQ(on.when(move_to(S::approved), kAdmin).code(), "ok");
}

TEST(BatchTransitions, nothing_moves_in_an_archived_project) {
  auto on = given_batch(S::draft);
  on.world.project.status = ProjectStatus::archived;
  on.when(move_to(S::active)).then_fails("PROJECT_ARCHIVED");
}

// --- Conditions.

TEST(BatchTransitions, activation_needs_an_annotator) {
  auto on = given_batch(S::draft);
  on.world.batch->batch.annotator_id.reset();
  const auto outcome = on.when(plain_move(S::active));
  outcome.then_fails("BATCH_NEEDS_ANNOTATOR");
  auto left = given_batch(S::draft);
  left.world.project.members.erase(*left.world.batch->batch.annotator_id);
  left.when(plain_move(S::active)).then_fails("BATCH_NEEDS_ANNOTATOR");
  auto unable = plain_move(S::active);
  unable.unfit.annotators = {*given_batch(S::draft).world.batch->batch.annotator_id};
  given_batch(S::draft).when(unable).then_fails("BATCH_NEEDS_ANNOTATOR");
  EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
}

TEST(BatchTransitions, activation_needs_a_task) {
  auto on = given_batch(S::draft);
  on.world.batch->progress = {};
  const auto outcome = on.when(plain_move(S::active));
  outcome.then_fails("BATCH_EMPTY");
  EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
  for (const auto status : {TaskStatus::pending, TaskStatus::assigned, TaskStatus::in_progress,
                            TaskStatus::submitted, TaskStatus::review, TaskStatus::rejected}) {
    on.world.batch->progress = {};
    on.world.batch->progress.of(status) = 1;
    EXPECT_EQ(on.when(plain_move(S::active)).code(), "ok") << to_string(status);
  }
}

TEST(BatchTransitions, review_begins_when_no_work_is_left) {
  for (const auto status :
       {TaskStatus::pending, TaskStatus::assigned, TaskStatus::in_progress, TaskStatus::rejected}) {
    for (const UserId user : {kAnnotator, kAdmin, kOwner}) {
      auto on = given_batch(S::annotating);
      on.world.batch->progress.of(status) = 1;
      const auto outcome = on.when(plain_move(S::reviewing), user);
      outcome.then_fails("BATCH_TASKS_OPEN");
      EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
    }
  }
  for (const auto status : {TaskStatus::submitted, TaskStatus::review, TaskStatus::completed}) {
    auto on = given_batch(S::annotating);
    on.world.batch->progress.of(status) = 5;
    EXPECT_EQ(on.when(plain_move(S::reviewing), kAnnotator).code(), "ok") << to_string(status);
  }
}

TEST(BatchTransitions, approval_waits_for_the_review_of_every_task) {
  for (const auto status : {TaskStatus::submitted, TaskStatus::review}) {
    for (const UserId user : {kReviewer, kAdmin, kOwner}) {
      auto on = given_batch(S::reviewing);
      on.world.batch->progress.of(status) = 1;
      const auto outcome = on.when(plain_move(S::approved), user);
      outcome.then_fails("BATCH_TASKS_AWAIT_REVIEW");
      EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
    }
  }
}

TEST(BatchTransitions, a_rejection_of_the_batch_needs_feedback_of_1_to_2000_characters) {
  const auto reject = [](std::optional<std::string> feedback) {
    auto command = plain_move(S::rejected);
    command.review_feedback = std::move(feedback);
    return given_batch(S::reviewing).when(command, kReviewer);
  };
  for (const auto& bad : {std::optional<std::string>(), std::optional<std::string>(""),
                          std::optional(std::string(2001, 'x'))}) {
    const auto outcome = reject(bad);
    outcome.then_fails("VALIDATION_ERROR");
    ASSERT_EQ(outcome.result().error().errors.size(), 1U);
    EXPECT_EQ(outcome.result().error().errors[0].loc, (Location{std::string("review_feedback")}));
  }
  for (const auto& good : {std::string("x"), repeated("\xE2\x82\xAC", 2000)}) {
    reject(good).then({moved(S::reviewing, S::rejected, std::nullopt, good)});
  }
}

TEST(BatchTransitions, forward_moves_need_no_reason) {
  for (const auto& [from, to] : {std::pair{S::draft, S::active},
                                 {S::annotating, S::reviewing},
                                 {S::reviewing, S::approved},
                                 {S::rejected, S::active},
                                 {S::reviewing, S::archived}}) {
    given_batch(from).when(plain_move(to)).then({moved(from, to, std::nullopt, std::nullopt)});
  }
}

constexpr std::array kReverse{std::pair{S::archived, S::active},
                              std::pair{S::approved, S::reviewing},
                              std::pair{S::rejected, S::reviewing}};

TEST(BatchTransitions, a_reverse_move_without_a_reason_is_a_bad_request) {
  for (const auto& [from, to] : kReverse) {
    for (const auto& none : {std::optional<std::string>(), std::optional<std::string>("")}) {
      auto command = plain_move(to);
      command.reason = none;
      const auto outcome = given_batch(from).when(command);
      ASSERT_FALSE(outcome.result());
      EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::bad_request);
      EXPECT_EQ(outcome.result().error().code, "REASON_REQUIRED");
    }
  }
}

TEST(BatchTransitions, the_reason_of_a_reverse_move_has_1_to_500_characters) {
  for (const auto& [from, to] : kReverse) {
    auto command = plain_move(to);
    for (const auto& good : {std::string("x"), repeated("\xE2\x82\xAC", 500)}) {
      command.reason = good;
      given_batch(from).when(command).then({moved(from, to, good, std::nullopt)});
    }
    command.reason = std::string(501, 'x');
    const auto outcome = given_batch(from).when(command);
    outcome.then_invalid({"length"});
    ASSERT_EQ(outcome.result().error().errors.size(), 1U);
    EXPECT_EQ(outcome.result().error().errors[0].loc, (Location{std::string("reason")}));
  }
}

TEST(BatchTransitions, who_may_not_is_told_so_before_anything_else) {
  for (const auto& [from, to] : kReverse) {
    for (const UserId user : {kViewer, kAnnotator, kReviewer, kAdmin}) {
      given_batch(from).when(plain_move(to), user).then_fails("FORBIDDEN");
    }
  }
  auto empty = given_batch(S::draft);
  empty.world.batch->progress = {};
  empty.when(plain_move(S::active), kReviewer).then_fails("FORBIDDEN");
}

// --- Reset.

TEST(BatchTransitions, the_owner_resets_from_any_status_but_draft) {
  const std::string reason = "start over";  // 10 characters
  for (const S from : kAll) {
    for (const auto& caller : kCallers) {
      SCOPED_TRACE(std::string(to_string(from)) + " by " + caller.name);
      const auto outcome = given_batch(from).when(reset_with(reason), caller.user);
      if (caller.user != kOwner && caller.user != kRoot) {
        outcome.then_fails("FORBIDDEN");
      } else if (from == S::draft) {
        outcome.then_fails("INVALID_TRANSITION");
      } else {
        outcome.then({BatchReset{kProject, kBatch, from, kReviewer, reason}});
      }
    }
  }
}

TEST(BatchTransitions, the_reason_of_a_reset_has_10_to_2000_characters) {
  const auto bad = {std::string(), std::string(9, 'x'), repeated("\xE2\x82\xAC", 9),
                    repeated("\xE2\x82\xAC", 2001)};
  for (const auto& reason : bad) {
    const auto outcome = given_batch(S::active).when(reset_with(reason));
    outcome.then_invalid({"length"});
    ASSERT_EQ(outcome.result().error().errors.size(), 1U);
    EXPECT_EQ(outcome.result().error().errors[0].loc, (Location{std::string("reason")}));
  }
  for (const auto& good :
       {repeated("\xE2\x82\xAC", 10), std::string(501, 'x'), repeated("\xE2\x82\xAC", 2000)}) {
    EXPECT_EQ(given_batch(S::active).when(reset_with(good)).code(), "ok");
  }
}

// --- What a review leaves.

struct Review {
  std::optional<std::string> feedback;
  std::optional<Timestamp> at;
  std::optional<UserId> by;
  bool operator==(const Review&) const = default;
};
const Review kNone{};
const Review kRejection{"redo", kNow + 1, kReviewer};

Review review_of(const Given& on) {
  const auto& batch = on.world.batch->batch;
  return {batch.review_feedback, batch.reviewed_at, batch.reviewed_by};
}

Given reviewed_as(S status) {
  auto on = given_batch(S::reviewing);
  on.world.happened(moved(S::reviewing, status, std::nullopt), {kReviewer, kNow + 1});
  return on;
}

void go(Given& on, S to, std::optional<std::string> feedback = std::nullopt) {
  on.world.happened(moved(on.world.batch->batch.status, to, "why", std::move(feedback)),
                    {kOwner, kNow + 7});
}

TEST(BatchTransitions, a_review_is_remembered) {
  EXPECT_EQ(review_of(given_batch(S::reviewing)), kNone);
  EXPECT_EQ(review_of(reviewed_as(S::rejected)), kRejection);
  EXPECT_EQ(review_of(reviewed_as(S::approved)), kRejection) << "feedback may praise too";
}

TEST(BatchTransitions, a_rejected_batch_keeps_its_feedback_on_the_way_back_to_work) {
  auto on = reviewed_as(S::rejected);
  go(on, S::active);
  EXPECT_EQ(review_of(on), kRejection);
  go(on, S::annotating);
  go(on, S::reviewing);
  EXPECT_EQ(review_of(on).feedback, "redo");
  go(on, S::rejected, "again");
  EXPECT_EQ(review_of(on), (Review{"again", kNow + 7, kOwner}));
}

TEST(BatchTransitions, a_reopened_review_of_a_rejected_batch_keeps_the_feedback) {
  auto on = reviewed_as(S::rejected);
  go(on, S::reviewing);
  EXPECT_EQ(review_of(on).feedback, "redo");
}

TEST(BatchTransitions, a_reopened_review_of_an_approved_batch_forgets_the_first) {
  auto on = reviewed_as(S::approved);
  go(on, S::reviewing);
  EXPECT_EQ(review_of(on), kNone);
}

TEST(BatchTransitions, the_archive_changes_nothing_but_the_status) {
  for (const S status : {S::approved, S::rejected}) {
    auto on = reviewed_as(status);
    go(on, S::archived);
    EXPECT_EQ(review_of(on), kRejection);
    go(on, S::active);
    EXPECT_EQ(review_of(on), kRejection);
  }
}

TEST(BatchTransitions, a_reset_forgets_every_review) {
  for (const S status : {S::approved, S::rejected}) {
    auto on = reviewed_as(status);
    on.world.happened(BatchReset{kProject, kBatch, status, kReviewer, "start it over"},
                      {kOwner, kNow + 7});
    EXPECT_EQ(review_of(on), kNone);
    EXPECT_EQ(on.world.batch->batch.status, S::draft);
    EXPECT_EQ(on.world.batch->batch.annotator_id, kAnnotator);
    EXPECT_EQ(on.world.batch->batch.reviewer_id, kReviewer);
  }
}

}  // namespace
}  // namespace annolog::testing::batch_transitions_test
