// What people are told, and whom: the table of the specification, row by row; marks as read.
#include <set>

#include "domain/batch/transitions.hpp"
#include "domain/notification/commands.hpp"
#include "domain/notification/notices.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::notification_test {
namespace {

using Type = NotificationType;
using S = BatchStatus;

struct Told {
  UserId user;
  Type type;
  bool operator==(const Told&) const = default;
};

std::vector<Told> told(const Event& event, UserId actor) {
  std::vector<Told> all;
  for (const Notice& notice : notices_of(event, {actor, kNow}))
    all.push_back({notice.user_id, notice.type});
  return all;
}

TaskRejected rejected(std::optional<UserId> assignee, std::optional<UserId> submitter) {
  return {kProject, kTask, kReviewer, assignee, RejectReason::extra, "two boxes", submitter};
}

BatchMoved moved(S from, S to) {
  return {.project_id = kProject,
          .batch_id = kBatch,
          .from = from,
          .to = to,
          .automatic = false,
          .reason = "why",
          .review_feedback = "what",
          .annotator_id = kAnnotator,
          .reviewer_id = kReviewer};
}

BatchCreated made_for(std::optional<UserId> annotator, std::optional<UserId> reviewer) {
  return {kProject, kBatch, kBatchNumber, "First", annotator, reviewer};
}

BatchAssigned given_to(std::optional<UserId> annotator, std::optional<UserId> reviewer,
                       bool annotator_changed, bool reviewer_changed) {
  return {kProject, kBatch, annotator, reviewer, annotator_changed, reviewer_changed};
}

CommentAdded said(std::vector<UserId> mentions) {
  return {kProject, kTask, kNextComment, std::nullopt, kAnnotator, "Look!", std::move(mentions)};
}

struct Row {
  const char* what;
  Event event;
  UserId actor;
  std::vector<Told> expected;
};

// clang-format off
const std::vector<Row> kRows{
    {"a batch made for people", made_for(kAnnotator, kReviewer), kOwner,
     {{kAnnotator, Type::task_assigned}, {kReviewer, Type::task_assigned}}},
    {"a batch made for nobody", made_for({}, {}), kOwner, {}},
    {"a batch made for oneself", made_for(kOwner, kReviewer), kOwner,
     {{kReviewer, Type::task_assigned}}},
    {"one person for both", made_for(kReviewer, kReviewer), kOwner,
     {{kReviewer, Type::task_assigned}}},
    {"another annotator", given_to(kOther, kReviewer, true, false), kOwner,
     {{kOther, Type::task_assigned}}},
    {"another reviewer", given_to(kAnnotator, kSecondReviewer, false, true), kOwner,
     {{kSecondReviewer, Type::task_assigned}}},
    {"both", given_to(kOther, kSecondReviewer, true, true), kOwner,
     {{kOther, Type::task_assigned}, {kSecondReviewer, Type::task_assigned}}},
    {"no annotator any more", given_to({}, kReviewer, true, false), kOwner, {}},
    {"tasks join the batch", BatchTasksAdded{kProject, kBatch, kAnnotator, kReviewer, {kTask}},
     kOwner, {}},

    {"rejected", rejected(kAnnotator, kAnnotator), kReviewer, {{kAnnotator, Type::task_rejected}}},
    {"rejected, handed in by another", rejected(kAnnotator, kOther), kReviewer,
     {{kAnnotator, Type::task_rejected}, {kOther, Type::task_review_rejected}}},
    {"rejected, nobody's", rejected({}, kOther), kReviewer, {{kOther, Type::task_review_rejected}}},
    {"rejected by who handed it in", rejected(kAnnotator, kReviewer), kReviewer,
     {{kAnnotator, Type::task_rejected}}},
    {"rejected before it was told who had handed it in", rejected(kAnnotator, {}), kReviewer,
     {{kAnnotator, Type::task_rejected}}},
    {"approved", TaskApproved{kProject, kTask, kReviewer, kAnnotator}, kReviewer,
     {{kAnnotator, Type::task_approved}}},
    {"approved by its assignee", TaskApproved{kProject, kTask, kOwner, kOwner}, kOwner, {}},
    {"approved, nobody's", TaskApproved{kProject, kTask, kReviewer, {}}, kReviewer, {}},
    {"reopened", TaskReopened{kProject, kTask, kReviewer}, kAnnotator,
     {{kReviewer, Type::task_reopened}}},
    {"reopened by who had approved it", TaskReopened{kProject, kTask, kReviewer}, kReviewer, {}},
    {"reopened, reviewed by nobody", TaskReopened{kProject, kTask, {}}, kAnnotator, {}},

    {"mentioned", said({kReviewer, kViewer}), kAnnotator,
     {{kReviewer, Type::comment_mention}, {kViewer, Type::comment_mention}}},
    {"mentions of oneself", said({kAnnotator, kViewer}), kAnnotator,
     {{kViewer, Type::comment_mention}}},
    {"nobody is mentioned", said({}), kAnnotator, {}},
    {"taken", TaskTaken{kProject, kTask, kAnnotator, kLockEnd}, kAnnotator, {}},
    {"submitted", TaskSubmitted{kProject, kTask, kAnnotator}, kAnnotator, {}},
    {"deleted", BatchDeleted{kProject, kBatch}, kOwner, {}},
};
// clang-format on

TEST(Notices, go_to_whom_the_table_says_and_never_to_who_did_it) {
  for (const Row& row : kRows) EXPECT_EQ(told(row.event, row.actor), row.expected) << row.what;
}

// Every step that the batches' table has, so that a new one is thought of here.
TEST(Notices, of_a_batchs_steps) {
  for (const auto& step : kBatchTransitions) {
    std::vector<Told> expected;
    if (step.from == S::reviewing && step.to == S::rejected) {
      expected = {{kAnnotator, Type::batch_rejected}};
    } else if (step.from == S::archived) {
      expected = {{kAnnotator, Type::batch_unarchived}, {kReviewer, Type::batch_unarchived}};
    } else if (step.to == S::reviewing && step.from != S::annotating) {
      expected = {{kReviewer, Type::batch_review_reopened}};
    }
    EXPECT_EQ(told(moved(step.from, step.to), kOwner), expected)
        << to_string(step.from) << " to " << to_string(step.to);
  }
  EXPECT_TRUE(told(moved(S::approved, S::reviewing), kReviewer).empty());
  EXPECT_EQ(told(moved(S::archived, S::active), kReviewer),
            (std::vector<Told>{{kAnnotator, Type::batch_unarchived}}));
}

Notice only(const Event& event) {
  const auto notices = notices_of(event, {kOwner, kNow});
  EXPECT_EQ(notices.size(), 1U);
  return notices.empty() ? Notice{} : notices.front();
}

TEST(Notices, say_what_they_are_about) {
  Notice of_task;
  of_task.user_id = kAnnotator;
  of_task.type = Type::task_rejected;
  of_task.target_id = kTask.value;
  of_task.project_id = kProject;
  of_task.task_id = kTask;
  of_task.reason_type = RejectReason::extra;
  of_task.reason = "two boxes";
  EXPECT_EQ(only(rejected(kAnnotator, {})), of_task);

  Notice of_batch;
  of_batch.user_id = kAnnotator;
  of_batch.type = Type::batch_rejected;
  of_batch.target_id = kBatch.value;
  of_batch.project_id = kProject;
  of_batch.batch_id = kBatch;
  of_batch.reason = "what";
  EXPECT_EQ(only(moved(S::reviewing, S::rejected)), of_batch);
  EXPECT_EQ(only(moved(S::approved, S::reviewing)).reason, "why");

  const Notice of_comment = only(said({kViewer}));
  EXPECT_EQ(of_comment.target_id, kNextComment.value);
  EXPECT_EQ(of_comment.task_id, kTask);
  EXPECT_EQ(of_comment.batch_id, std::nullopt);
}

TEST(NotificationKinds, every_type_has_its_row_and_a_name_of_its_own) {
  std::set<Type> types;
  std::set<std::string_view> names;
  for (const auto& kind : kNotificationKinds) {
    types.insert(kind.type);
    names.insert(kind.name);
    EXPECT_EQ(kind_of(kind.type).name, kind.name);
    EXPECT_EQ(notification_type_from(kind.name), kind.type);
  }
  EXPECT_EQ(types.size(), kNotificationKinds.size());
  EXPECT_EQ(names.size(), kNotificationKinds.size());
  EXPECT_EQ(types.size(), static_cast<std::size_t>(Type::webhook_disabled) + 1);
  EXPECT_EQ(notification_type_from("task.unknown"), std::nullopt);
}

UserState user(UserId id) {
  UserState state;
  state.id = id;
  return state;
}

TEST(NotificationMarks, are_for_ones_own_account) {
  const ReadNotifications one{kViewer, {NotificationId{4097}}};
  const ReadAllNotifications all{kViewer, {NotificationId{4097}, NotificationId{4098}}, 5};
  Outcome(decide(user(kViewer), one, as(kViewer)))
      .then({NotificationRead{kViewer, one.notification_ids}});
  Outcome(decide(user(kViewer), all, as(kViewer))).then({NotificationsAllRead{kViewer, all.up_to}});
  for (const UserId other : {kRoot, kOwner}) {
    Outcome(decide(user(kViewer), one, as(other))).then_fails("NOT_FOUND");
    Outcome(decide(user(kViewer), all, as(other))).then_fails("NOT_FOUND");
  }
  UserState gone = user(kViewer);
  gone.active = false;
  Outcome(decide(gone, one, as(kViewer))).then_fails("NOT_FOUND");
}

TEST(NotificationMarks, of_nothing_are_none) {
  Outcome(decide(user(kViewer), ReadNotifications{kViewer, {}}, as(kViewer))).then_nothing();
  Outcome(decide(user(kViewer), ReadAllNotifications{kViewer, {}, 0}, as(kViewer))).then_nothing();
}

}  // namespace
}  // namespace annolog::testing::notification_test
