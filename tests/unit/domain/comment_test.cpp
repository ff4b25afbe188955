// Comments: who may write and delete them, what they may say and whom they may mention.
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::comment_test {
namespace {

AddComment say(std::string body, std::optional<AnnotationId> about = std::nullopt,
               std::vector<UserId> mentions = {}) {
  return {kTask, std::move(body), about, std::move(mentions)};
}

CommentAdded said(UserId author, std::string body, std::vector<UserId> mentions = {}) {
  return {kProject, kTask,           kNextComment,       std::nullopt,
          author,   std::move(body), std::move(mentions)};
}

const CommentAdded kSaid{kProject, kTask, CommentId{9}, std::nullopt, kAnnotator, "Look!", {}};
const DeleteComment kDelete{kTask, CommentId{9}};
const CommentDeleted kDeleted{kProject, kTask, CommentId{9}};

Given given_comment() {
  return given_task(TaskStatus::in_progress, false, {{Event{kSaid}, kAnnotator}});
}

TEST(AddComment, whoever_annotates_may_whatever_the_tasks_status) {
  using S = TaskStatus;
  for (const auto status : {S::pending, S::assigned, S::in_progress, S::submitted, S::review,
                            S::rejected, S::completed}) {
    SCOPED_TRACE(to_string(status));
    for (const UserId user : {kOther, kReviewer, kAdmin, kOwner, kRoot}) {
      given_task(status).when(say("Look!"), user).then({said(user, "Look!")});
    }
    given_task(status).when(say("Look!"), kViewer).then_fails("FORBIDDEN");
    given_task(status).when(say("Look!"), kStranger).then_fails("NOT_FOUND");
  }
}

TEST(AddComment, a_lock_of_another_is_no_hindrance) {
  given_task(TaskStatus::in_progress, false,
             {{Event{TaskLocked{kProject, kTask, kOther, kLockEnd}}, kOther}})
      .when(say("Look!"), kAnnotator)
      .then({said(kAnnotator, "Look!")});
}

TEST(AddComment, an_archived_project_takes_none) {
  auto on = given_task(TaskStatus::in_progress);
  on.world.project.status = ProjectStatus::archived;
  on.when(say("Look!"), kOwner).then_fails("PROJECT_ARCHIVED");
}

TEST(AddComment, an_unknown_task_is_not_found) {
  given(project_with_members()).when(say("Look!"), kAnnotator).then_fails("NOT_FOUND");
}

TEST(AddComment, has_1_to_5000_characters_that_are_not_all_white) {
  const auto code = [](std::string body) {
    return given_task(TaskStatus::in_progress).when(say(std::move(body)), kAnnotator).code();
  };
  std::string wide;
  for (int i = 0; i < 5000; ++i) wide += "\xC3\xA4";
  EXPECT_EQ(code("x"), "ok");
  EXPECT_EQ(code(wide), "ok");
  EXPECT_EQ(code(wide + "x"), "VALIDATION_ERROR");
  EXPECT_EQ(code(""), "VALIDATION_ERROR");
  EXPECT_EQ(code(" \n\t"), "VALIDATION_ERROR");
  given_task(TaskStatus::in_progress)
      .when(say("  \nLook!\n"), kAnnotator)
      .then({said(kAnnotator, "  \nLook!\n")});
}

TEST(AddComment, may_be_about_a_live_annotation_of_the_task) {
  const Past added{Event{TaskAnnotationsAdded{kProject, kTask, {made(7)}}}, kAnnotator};
  auto on = given_task(TaskStatus::in_progress, false, {added});
  auto expected = said(kReviewer, "Too wide");
  expected.annotation_id = AnnotationId{7};
  on.when(say("Too wide", AnnotationId{7}), kReviewer).then({expected});
  on.when(say("Too wide", AnnotationId{8}), kReviewer).then_invalid({"unknown_annotation"});
  on.when(say("", AnnotationId{8}), kReviewer).then_invalid({"length", "unknown_annotation"});
  on.world.annotations.at(AnnotationId{7}).task_id = TaskId{31};
  on.when(say("Too wide", AnnotationId{7}), kReviewer).then_invalid({"unknown_annotation"});
  on.world.annotations.at(AnnotationId{7}).task_id = kTask;
  on.world.happened(AnnotationDeleted{kProject, kTask, AnnotationId{7}, ClassId{1}, 2, false},
                    {kAnnotator, kNow});
  on.when(say("Too wide", AnnotationId{7}), kReviewer).then_invalid({"unknown_annotation"});
}

TEST(AddComment, keeps_of_the_mentioned_the_members_and_the_owner_each_once) {
  given_task(TaskStatus::in_progress)
      .when(say("@all", std::nullopt, {kViewer, kStranger, kOwner, kRoot, kViewer, kAnnotator}),
            kAnnotator)
      .then({said(kAnnotator, "@all", {kViewer, kOwner, kAnnotator})});
}

TEST(AddComment, mentions_at_most_50) {
  auto on = given_task(TaskStatus::in_progress);
  std::vector<UserId> many;
  for (std::int64_t id = 100; id < 150; ++id) {
    many.push_back(UserId{id});
    on.world.project.members[UserId{id}] = {Role::viewer, kNow};
  }
  on.when(say("@all", std::nullopt, many), kAnnotator).then({said(kAnnotator, "@all", many)});
  many.push_back(kViewer);
  on.when(say("@all", std::nullopt, many), kAnnotator).then_invalid({"too_many_items"});
}

TEST(DeleteComment, is_for_its_author_and_the_owner) {
  for (const UserId user : {kAnnotator, kOwner, kRoot}) {
    given_comment().when(kDelete, user).then({kDeleted});
  }
  for (const UserId user : {kOther, kReviewer, kAdmin, kViewer}) {
    given_comment().when(kDelete, user).then_fails("FORBIDDEN");
  }
  given_comment().when(kDelete, kStranger).then_fails("NOT_FOUND");
}

TEST(DeleteComment, of_one_who_may_no_longer_write_is_refused) {
  auto on = given_comment();
  on.world.project.members[kAnnotator].role = Role::viewer;
  on.when(kDelete, kAnnotator).then_fails("FORBIDDEN");
}

TEST(DeleteComment, finds_only_what_is_there_under_this_task) {
  auto on = given_comment();
  on.when(DeleteComment{kTask, CommentId{8}}, kOwner).then_fails("NOT_FOUND");
  on.world.comments.at(CommentId{9}).task_id = TaskId{31};
  on.when(kDelete, kOwner).then_fails("NOT_FOUND");
}

TEST(DeleteComment, happens_once_and_keeps_the_text) {
  auto on = given_comment();
  on.world.happened(kDeleted, {kAnnotator, kNow + 1});
  EXPECT_EQ(on.world.comments.at(CommentId{9}).deleted_at, kNow + 1);
  EXPECT_EQ(on.world.comments.at(CommentId{9}).body, "Look!");
  on.when(kDelete, kAnnotator).then_fails("NOT_FOUND");
}

TEST(DeleteComment, an_archived_project_stays_as_it_is) {
  auto on = given_comment();
  on.world.project.status = ProjectStatus::archived;
  on.when(kDelete, kOwner).then_fails("PROJECT_ARCHIVED");
}

}  // namespace
}  // namespace annolog::testing::comment_test
