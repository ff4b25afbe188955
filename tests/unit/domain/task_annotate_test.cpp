// Annotations: who may add, change and delete them, when, and which shapes are taken.
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::task_annotate_test {
namespace {

AddAnnotations add(std::vector<Shape> shapes, bool submit = false) {
  return {kTask, std::move(shapes), submit};
}

NewAnnotation first_made() { return made(101); }

const Event kAdded = TaskAnnotationsAdded{kProject, kTask, {first_made()}};
const Event kSubmitted = TaskSubmitted{kProject, kTask, kAnnotator};
const Event kSent = TaskSentToReview{kProject, kTask};

TEST(Annotate, by_status_role_assignee_and_lock) {
  enum class Held { by_nobody, by_caller, by_another };
  struct Row {
    TaskStatus status;
    UserId user;
    Held held;
    const char* code;
  };
  using S = TaskStatus;
  const Row rows[] = {
      {S::pending, kAnnotator, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::pending, kOwner, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::assigned, kAnnotator, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::in_progress, kAnnotator, Held::by_nobody, "ok"},
      {S::in_progress, kAnnotator, Held::by_caller, "ok"},
      {S::in_progress, kAnnotator, Held::by_another, "TASK_LOCKED"},
      {S::in_progress, kOther, Held::by_nobody, "TASK_NOT_HELD"},
      {S::in_progress, kOther, Held::by_caller, "ok"},
      {S::in_progress, kReviewer, Held::by_nobody, "ok"},
      {S::in_progress, kReviewer, Held::by_another, "TASK_LOCKED"},
      {S::in_progress, kOwner, Held::by_another, "TASK_LOCKED"},
      {S::in_progress, kViewer, Held::by_nobody, "FORBIDDEN"},
      {S::in_progress, kStranger, Held::by_nobody, "NOT_FOUND"},
      {S::submitted, kAnnotator, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::submitted, kReviewer, Held::by_nobody, "ok"},
      {S::review, kAnnotator, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::review, kReviewer, Held::by_nobody, "ok"},
      {S::review, kReviewer, Held::by_another, "TASK_LOCKED"},
      {S::rejected, kAnnotator, Held::by_nobody, "ok"},
      {S::rejected, kOther, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::rejected, kOther, Held::by_caller, "TASK_NOT_EDITABLE"},
      {S::completed, kAnnotator, Held::by_nobody, "TASK_NOT_EDITABLE"},
      {S::completed, kOwner, Held::by_nobody, "TASK_NOT_EDITABLE"},
  };
  for (const auto& row : rows) {
    std::vector<Past> more;
    if (row.held != Held::by_nobody) {
      const UserId holder = row.held == Held::by_caller ? row.user : UserId{99};
      more.push_back({Event{TaskLocked{kProject, kTask, holder, kLockEnd}}, holder});
    }
    SCOPED_TRACE(std::string(to_string(row.status)) + " user " + std::to_string(row.user.value));
    EXPECT_EQ(given_task(row.status, false, more).when(add({box()}), row.user).code(), row.code);
    more.push_back({Event{TaskAnnotationsAdded{kProject, kTask, {made(7)}}}, kAnnotator});
    EXPECT_EQ(given_task(row.status, false, more)
                  .when(DeleteAnnotation{kTask, AnnotationId{7}, std::nullopt}, row.user)
                  .code(),
              row.code);
    more.push_back(
        {Event{AnnotationDeleted{kProject, kTask, AnnotationId{7}, ClassId{1}, 2, false}},
         kAnnotator});
    EXPECT_EQ(given_task(row.status, false, more)
                  .when(RestoreAnnotation{kTask, AnnotationId{7}, std::nullopt}, row.user)
                  .code(),
              row.code);
  }
}

TEST(Annotate, saving_does_not_submit) {
  given_task(TaskStatus::in_progress).when(add({box()}), kAnnotator).then({kAdded});
  given_task(TaskStatus::in_progress).when(add({}), kAnnotator).then_nothing();
}

TEST(Annotate, submitting_ends_in_submitted_or_in_review) {
  given_task(TaskStatus::in_progress)
      .when(add({box()}, true), kAnnotator)
      .then({kAdded, kSubmitted});
  given_task(TaskStatus::in_progress, true)
      .when(add({box()}, true), kAnnotator)
      .then({kAdded, kSubmitted, kSent});
  given_task(TaskStatus::in_progress).when(add({}, true), kAnnotator).then({kSubmitted});
}

TEST(Annotate, the_first_edit_of_a_rejected_task_accepts_the_rejection) {
  const Event accepted = TaskRejectionAccepted{kProject, kTask};
  given_task(TaskStatus::rejected).when(add({box()}), kAnnotator).then({accepted, kAdded});
  given_task(TaskStatus::rejected, true)
      .when(add({}, true), kAnnotator)
      .then({accepted, kSubmitted, kSent});
}

TEST(Annotate, a_reviewers_edit_of_a_submitted_task_does_not_submit_it_again) {
  given_task(TaskStatus::review).when(add({box()}, true), kReviewer).then({kAdded});
}

TEST(Annotate, one_bad_shape_refuses_the_whole_call_with_every_error) {
  auto outside = box();
  outside.geometry = Bbox{0.9, 0, 0.2, 1};
  outside.confidence = 1.5;
  auto tram = box("tram");  // which attributes it may have is not known
  tram.attributes = {{"anything", 1.0}};
  const auto outcome =
      given_task(TaskStatus::in_progress).when(add({box(), tram, outside}), kAnnotator);
  outcome.then_invalid({"unknown_class", "out_of_range", "out_of_range"});
  const auto& errors = outcome.result().error().errors;
  EXPECT_EQ(errors.at(0).loc, (Location{"shapes", std::int64_t{1}, "class_name"}));
  EXPECT_EQ(errors.at(1).loc, (Location{"shapes", std::int64_t{2}, "geometry", "width"}));
  EXPECT_EQ(errors.at(2).loc, (Location{"shapes", std::int64_t{2}, "confidence"}));
}

TEST(Annotate, a_confidence_is_between_0_and_1) {
  for (const double good : {0.0, 0.5, 1.0}) {
    auto shape = box();
    shape.confidence = good;
    EXPECT_EQ(given_task(TaskStatus::in_progress).when(add({shape}), kAnnotator).code(), "ok");
  }
  for (const double bad : {-0.001, 1.001, std::numeric_limits<double>::quiet_NaN()}) {
    auto shape = box();
    shape.confidence = bad;
    given_task(TaskStatus::in_progress)
        .when(add({shape}), kAnnotator)
        .then_invalid({"out_of_range"});
  }
}

TEST(Annotate, at_most_5000_shapes_a_call) {
  EXPECT_EQ(given_task(TaskStatus::in_progress)
                .when(add(std::vector<Shape>(5000, box())), kAnnotator)
                .code(),
            "ok");
  given_task(TaskStatus::in_progress)
      .when(add(std::vector<Shape>(5001, box())), kAnnotator)
      .then_invalid({"too_many_items"});
}

TEST(Annotate, the_kind_of_a_shape_suits_the_project) {
  const Geometry kinds[] = {Bbox{0, 0, 1, 1}, Polygon{{{0, 0}, {1, 0}, {1, 1}}},
                            KeypointSet{{{"nose", 0, 0, true}}}, VideoBbox{7, 0, 0, 1, 1},
                            VideoTrack{"t", {{.frame_index = 0, .bbox = {0, 0, 1, 1}}}}};
  struct Row {
    ProjectType type;
    bool box, polygon, keypoint, video_box, track;
  };
  const Row rows[] = {{ProjectType::image_det, true, true, false, false, false},
                      {ProjectType::image_seg, true, true, false, false, false},
                      {ProjectType::image_kpt, true, false, true, false, false},
                      {ProjectType::video_track, false, false, false, true, true},
                      {ProjectType::video_det, false, false, false, true, false},
                      {ProjectType::other, true, true, true, true, true}};
  for (const auto& row : rows) {
    const bool expected[] = {row.box, row.polygon, row.keypoint, row.video_box, row.track};
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
      auto on = given_task(TaskStatus::in_progress);
      on.world.project.type_key = row.type;
      auto shape = box();
      shape.geometry = kinds[i];
      const auto outcome = on.when(add({shape}), kAnnotator);
      EXPECT_EQ(outcome.code(), expected[i] ? "ok" : "VALIDATION_ERROR")
          << static_cast<int>(row.type) << " " << i;
    }
  }
}

TEST(Annotate, attributes_follow_the_schema) {
  auto on = given_task(TaskStatus::in_progress);
  AttributeSpec spec;
  spec.key = "plate";
  spec.required = true;
  on.world.project.attribute_schema.attributes = {spec};
  const auto outcome = on.when(add({box()}), kAnnotator);
  outcome.then_invalid({"missing"});
  EXPECT_EQ(outcome.result().error().errors.at(0).loc,
            (Location{"shapes", std::int64_t{0}, "attributes", "plate"}));
}

// --- Changes of one annotation

Given given_annotation(TaskStatus status, const NewAnnotation& annotation = made(7)) {
  return given_task(status, false,
                    {{Event{TaskAnnotationsAdded{kProject, kTask, {annotation}}}, kAnnotator}});
}

UpdateAnnotation change() {
  UpdateAnnotation command;
  command.task_id = kTask;
  command.annotation_id = AnnotationId{7};
  return command;
}

AnnotationUpdated changed() {
  return {.project_id = kProject,
          .task_id = kTask,
          .annotation_id = AnnotationId{7},
          .version = 2,
          .class_id = ClassId{1},
          .class_name = "car",
          .geometry = Bbox{0.1, 0.2, 0.3, 0.4},
          .attributes = {},
          .confidence = std::nullopt,
          .group_id = std::nullopt,
          .reviewer_edit = false};
}

TEST(ChangeAnnotation, records_the_annotation_as_it_is_afterwards) {
  auto command = change();
  command.class_name = "bus";
  command.group_id = Patch<std::int64_t>(5);
  auto expected = changed();
  expected.class_id = ClassId{2};
  expected.class_name = "bus";
  expected.group_id = 5;
  given_annotation(TaskStatus::in_progress).when(command, kAnnotator).then({expected});
}

TEST(ChangeAnnotation, null_clears_and_absent_leaves) {
  auto annotation = made(7);
  annotation.confidence = 0.5;
  annotation.group_id = 9;
  auto command = change();
  command.confidence = Patch<double>::null();
  auto expected = changed();
  expected.group_id = 9;
  given_annotation(TaskStatus::in_progress, annotation).when(command, kAnnotator).then({expected});
}

TEST(ChangeAnnotation, without_a_difference_nothing_happens) {
  auto command = change();
  command.class_name = "car";
  command.geometry = Bbox{0.1, 0.2, 0.3, 0.4};
  given_annotation(TaskStatus::in_progress).when(command, kAnnotator).then_nothing();
  given_annotation(TaskStatus::rejected).when(command, kAnnotator).then_nothing();
}

TEST(ChangeAnnotation, a_reviewers_edit_is_marked) {
  auto command = change();
  command.geometry = Bbox{0, 0, 1, 1};
  auto expected = changed();
  expected.geometry = Bbox{0, 0, 1, 1};
  expected.reviewer_edit = true;
  given_annotation(TaskStatus::review).when(command, kReviewer).then({expected});
  expected.reviewer_edit = false;
  given_annotation(TaskStatus::rejected)
      .when(command, kAnnotator)
      .then({TaskRejectionAccepted{kProject, kTask}, expected});
}

TEST(ChangeAnnotation, refusals) {
  auto kind = change();
  kind.geometry = Polygon{{{0, 0}, {1, 0}, {1, 1}}};
  given_annotation(TaskStatus::in_progress).when(kind, kAnnotator).then_invalid({"kind_mismatch"});
  auto class_name = change();
  class_name.class_name = "tram";  // which attributes it may have is not known
  class_name.attributes = Attributes{{"anything", 1.0}};
  given_annotation(TaskStatus::in_progress)
      .when(class_name, kAnnotator)
      .then_invalid({"unknown_class"});
  auto version = change();
  version.expected_version = {{2}};
  given_annotation(TaskStatus::in_progress)
      .when(version, kAnnotator)
      .then_fails("VERSION_MISMATCH");
  auto unknown = change();
  unknown.annotation_id = AnnotationId{8};
  given_annotation(TaskStatus::in_progress).when(unknown, kAnnotator).then_fails("NOT_FOUND");
}

TEST(ChangeAnnotation, a_deleted_annotation_is_gone) {
  const AnnotationDeleted deleted{kProject, kTask, AnnotationId{7}, ClassId{1}, 2, false};
  given_annotation(TaskStatus::in_progress)
      .when(DeleteAnnotation{kTask, AnnotationId{7}, {{1}}}, kAnnotator)
      .then({deleted});
  auto on = given_annotation(TaskStatus::in_progress);
  on.world.happened(deleted, {kAnnotator, kNow});
  EXPECT_EQ(on.world.task.annotation_count, 0);
  EXPECT_EQ(on.world.annotations.at(AnnotationId{7}).deleted_at, kNow);
  on.when(DeleteAnnotation{kTask, AnnotationId{7}, std::nullopt}, kAnnotator)
      .then_fails("NOT_FOUND");
  on.when(change(), kAnnotator).then_fails("NOT_FOUND");
}

// --- Undoing a deletion

Given given_deleted(TaskStatus status) {
  auto on = given_annotation(status);
  on.world.happened(AnnotationDeleted{kProject, kTask, AnnotationId{7}, ClassId{1}, 2, false},
                    {kAnnotator, kNow});
  return on;
}

RestoreAnnotation restore(ExpectedVersion version = std::nullopt) {
  return {kTask, AnnotationId{7}, std::move(version)};
}

const AnnotationRestored kRestored{kProject, kTask, AnnotationId{7}, ClassId{1}, 3, false};

TEST(RestoreAnnotation, brings_the_annotation_back_as_it_was) {
  auto on = given_deleted(TaskStatus::in_progress);
  on.when(restore(), kAnnotator).then({kRestored});
  const auto deleted = on.world.annotations.at(AnnotationId{7});
  const auto task_version = on.world.task.version;
  on.world.happened(kRestored, {kAnnotator, kNow + 5});
  EXPECT_EQ(on.world.task.annotation_count, 1);
  EXPECT_EQ(on.world.task.version, task_version + 1);
  auto expected = deleted;
  expected.version = 3;
  expected.updated_at = kNow + 5;
  expected.deleted_at.reset();
  EXPECT_EQ(on.world.annotations.at(AnnotationId{7}), expected);
}

TEST(RestoreAnnotation, what_is_not_deleted_is_a_conflict) {
  given_annotation(TaskStatus::in_progress)
      .when(restore(), kAnnotator)
      .then_fails("ANNOTATION_NOT_DELETED");
  auto on = given_deleted(TaskStatus::in_progress);
  on.world.happened(kRestored, {kAnnotator, kNow});
  on.when(restore(), kAnnotator).then_fails("ANNOTATION_NOT_DELETED");
}

TEST(RestoreAnnotation, what_never_was_there_is_not_found) {
  given_task(TaskStatus::in_progress).when(restore(), kAnnotator).then_fails("NOT_FOUND");
  auto on = given_deleted(TaskStatus::in_progress);
  on.world.annotations.at(AnnotationId{7}).task_id = TaskId{31};
  on.when(restore(), kAnnotator).then_fails("NOT_FOUND");
}

TEST(RestoreAnnotation, asks_for_the_version_of_the_deletion) {
  given_deleted(TaskStatus::in_progress)
      .when(restore({{1}}), kAnnotator)
      .then_fails("VERSION_MISMATCH");
  given_deleted(TaskStatus::in_progress).when(restore({{2}}), kAnnotator).then({kRestored});
}

TEST(RestoreAnnotation, of_a_rejected_task_accepts_the_rejection_and_a_reviewers_is_marked) {
  given_deleted(TaskStatus::rejected)
      .when(restore(), kAnnotator)
      .then({TaskRejectionAccepted{kProject, kTask}, kRestored});
  auto by_reviewer = kRestored;
  by_reviewer.reviewer_edit = true;
  given_deleted(TaskStatus::review).when(restore(), kReviewer).then({by_reviewer});
}

TEST(RestoreAnnotation, is_refused_while_its_class_is_removed) {
  auto on = given_deleted(TaskStatus::in_progress);
  auto& classes = on.world.project.classes;
  classes.removed.push_back(classes.live.front());
  classes.live.erase(classes.live.begin());
  const auto outcome = on.when(restore(), kAnnotator);
  outcome.then_fails("CLASS_REMOVED");
  EXPECT_EQ(outcome.result().error().detail, (DomainError::Detail{{"class_name", "car"}}));
  EXPECT_NE(outcome.result().error().message.find("; put it back first"), std::string::npos);
  const std::string other = std::exchange(classes.live.front().name, "car");
  EXPECT_NE(on.when(restore(), kAnnotator).result().error().message.find("another one bears"),
            std::string::npos);
  classes.live.front().name = other;
  classes.live.push_back(classes.removed.front());
  classes.removed.clear();
  on.when(restore(), kAnnotator).then({kRestored});
}

TEST(RestoreAnnotation, follows_a_class_that_was_renamed) {
  auto on = given_deleted(TaskStatus::in_progress);
  on.world.happened(ProjectClassRenamed{kProject, ClassId{1}, "car", "van"}, {kOwner, kNow});
  on.when(restore(), kAnnotator).then({kRestored});
}

TEST(RestoreAnnotation, an_archived_project_takes_none) {
  auto on = given_deleted(TaskStatus::in_progress);
  on.world.project.status = ProjectStatus::archived;
  on.when(restore(), kOwner).then_fails("PROJECT_ARCHIVED");
}

}  // namespace
}  // namespace annolog::testing::task_annotate_test
