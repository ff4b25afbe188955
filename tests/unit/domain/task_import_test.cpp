// Imports of annotations: who may, when, what is counted off and what is told of bad shapes.
#include "domain/task/import.hpp"
#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::task_import_test {
namespace {

ImportedShape imported(double x = 0.1, const std::string& class_name = "car") {
  return {.class_name = class_name,
          .geometry = Bbox{x, 0.2, 0.3, 0.4},
          .attributes = std::nullopt,
          .confidence = std::nullopt,
          .group_id = std::nullopt,
          .tells_group = false};
}

ImportAnnotations import(std::vector<ImportedShape> shapes, bool dry_run = false) {
  return {kProject, kTask, "import:coco", std::move(shapes), dry_run};
}

NewAnnotation kept(std::int64_t id) {
  NewAnnotation annotation = made(id);
  annotation.source = "import:coco";
  return annotation;
}

TEST(Import, by_status_role_and_lock) {
  struct Row {
    TaskStatus status;
    UserId user;
    bool held;
    const char* code;
  };
  using S = TaskStatus;
  const Row rows[] = {
      {S::pending, kOwner, false, "ok"},
      {S::pending, kAdmin, false, "ok"},
      {S::pending, kReviewer, false, "FORBIDDEN"},
      {S::pending, kAnnotator, false, "FORBIDDEN"},
      {S::pending, kViewer, false, "FORBIDDEN"},
      {S::pending, kStranger, false, "NOT_FOUND"},
      {S::assigned, kOwner, false, "ok"},
      {S::in_progress, kOwner, false, "ok"},
      {S::in_progress, kOwner, true, "TASK_LOCKED"},
      {S::rejected, kOwner, false, "ok"},
      {S::submitted, kOwner, false, "TASK_NOT_EDITABLE"},
      {S::review, kOwner, false, "TASK_NOT_EDITABLE"},
      {S::completed, kOwner, false, "TASK_NOT_EDITABLE"},
  };
  for (const auto& row : rows) {
    std::vector<Past> more;
    if (row.held) {
      more.push_back({Event{TaskLocked{kProject, kTask, UserId{99}, kLockEnd}}, UserId{99}});
    }
    SCOPED_TRACE(std::string(to_string(row.status)) + " user " + std::to_string(row.user.value));
    auto on = given_task(row.status, false, more);
    EXPECT_EQ(on.when(import({imported()}), row.user).code(), row.code);
  }
}

TEST(Import, keeps_the_shapes_and_nothing_else_changes) {
  auto on = given_task(TaskStatus::pending);
  on.when(import({imported()})).then({TaskAnnotationsAdded{kProject, kTask, {kept(101)}}});
  EXPECT_EQ(on.world.import_outcome, (ImportOutcome{1, 0, {}}));
}

TEST(Import, a_task_of_another_project_is_not_found) {
  auto command = import({imported()});
  command.project_id = ProjectId{kProject.value + 1};
  given_task(TaskStatus::pending).when(command).then_fails("NOT_FOUND");
}

TEST(Import, the_second_time_changes_nothing) {
  const Past first = Event{TaskAnnotationsAdded{kProject, kTask, {kept(7)}}};
  for (const auto status : {TaskStatus::pending, TaskStatus::completed}) {
    auto on = given_task(status, false, {first});
    on.when(import({imported()})).then_nothing();
    EXPECT_EQ(on.world.import_outcome, (ImportOutcome{0, 1, {}}));
  }
}

TEST(Import, equal_shapes_are_counted) {
  auto on = given_task(TaskStatus::pending, false,
                       {Event{TaskAnnotationsAdded{kProject, kTask, {kept(7), kept(8)}}}});
  on.when(import({imported(), imported(), imported()}))
      .then({TaskAnnotationsAdded{kProject, kTask, {kept(101)}}});
  EXPECT_EQ(on.world.import_outcome, (ImportOutcome{1, 2, {}}));
}

TEST(Import, a_deleted_annotation_is_not_there) {
  auto on = given_task(TaskStatus::pending, false,
                       {Event{TaskAnnotationsAdded{kProject, kTask, {kept(7)}}},
                        Event{AnnotationDeleted{kProject, kTask, AnnotationId{7}, ClassId{1}, 2}}});
  on.when(import({imported()})).then({TaskAnnotationsAdded{kProject, kTask, {kept(101)}}});
}

TEST(Import, the_last_digits_do_not_count_but_all_else_does) {
  auto on = given_task(TaskStatus::pending, false,
                       {Event{TaskAnnotationsAdded{kProject, kTask, {kept(7)}}}});
  on.when(import({imported(0.1 + 1e-13)}, true));
  EXPECT_EQ(on.world.import_outcome.skipped, 1);
  on.when(import({imported(0.1 + 1e-6)}, true));
  EXPECT_EQ(on.world.import_outcome.imported, 1);
  on.when(import({imported(0.1, "bus")}, true));
  EXPECT_EQ(on.world.import_outcome.imported, 1);
  auto grouped = imported();
  grouped.group_id = 3;
  grouped.tells_group = true;
  on.when(import({grouped}, true));
  EXPECT_EQ(on.world.import_outcome.imported, 1);
}

TEST(Import, a_dry_run_tells_and_does_nothing) {
  auto on = given_task(TaskStatus::pending);
  on.when(import({imported(), imported(2)}, true)).then_nothing();
  EXPECT_EQ(on.world.import_outcome.imported, 1);
  EXPECT_EQ(on.world.import_outcome.problems.size(), 1U);
}

TEST(Import, bad_shapes_are_told_one_by_one) {
  auto on = given_task(TaskStatus::pending);
  auto track = imported();
  track.geometry = VideoBbox{1, 0.1, 0.1, 0.2, 0.2};
  on.when(import({imported(0.1, "cat"), imported(), imported(0.9), track}))
      .then({TaskAnnotationsAdded{kProject, kTask, {kept(101)}}});
  const auto& problems = on.world.import_outcome.problems;
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0], (ShapeProblem{0, "UNKNOWN_CLASS",
                                       "class_name: \"cat\" is not a class of this project."}));
  EXPECT_EQ(problems[1].index, 2);
  EXPECT_EQ(problems[1].code, "INVALID_SHAPE");
  EXPECT_EQ(problems[2].code, "KIND_MISMATCH");
}

TEST(Import, takes_five_thousand_shapes_of_a_task) {
  std::vector<ImportedShape> shapes(kMaxShapesPerCall + 1, imported());
  given_task(TaskStatus::pending).when(import(shapes)).then_invalid({"too_many_items"});
}

ImportedShape coarse(std::int64_t left, std::int64_t right) {
  auto shape = imported();
  const auto at = [](std::int64_t pixel) { return static_cast<double>(pixel) / 100; };
  shape.geometry = Bbox{at(left), 0.2, at(right) - at(left), 0.4};
  shape.coarse = CoarseTelling{.width = 100, .height = 100, .not_true = {}};
  return shape;
}

Event there(std::vector<Bbox> boxes, const Attributes& attributes = {}) {
  TaskAnnotationsAdded added{kProject, kTask, {}};
  std::int64_t id = 7;
  for (const auto& box : boxes) {
    auto one = kept(id++);
    one.geometry = box;
    one.attributes = attributes;
    added.annotations.push_back(one);
  }
  return added;
}

TEST(Import, whole_pixels_are_the_boxes_that_would_be_written_so) {
  auto on = given_task(TaskStatus::pending, false,
                       {there({{0.104, 0.2, 0.3, 0.4}, {0.106, 0.2, 0.3, 0.4}})});
  for (const auto& shapes :
       {std::vector{coarse(10, 40), coarse(11, 41)}, std::vector{coarse(11, 41), coarse(10, 40)}}) {
    on.when(import(shapes, true));
    EXPECT_EQ(on.world.import_outcome, (ImportOutcome{0, 2, {}}));
  }
  on.when(import({coarse(10, 40), coarse(10, 40)}, true));
  EXPECT_EQ(on.world.import_outcome, (ImportOutcome{1, 1, {}}));
}

TEST(Import, what_is_there_exactly_is_not_used_up_for_what_is_near) {
  auto on = given_task(TaskStatus::pending, false, {there({{0.1, 0.2, 0.3, 0.4}})});
  auto exact = coarse(10, 40);
  exact.coarse->width = exact.coarse->height = 0;
  auto blunt = coarse(10, 40);
  blunt.geometry = Bbox{0.102, 0.2, 0.3, 0.4};
  on.when(import({blunt, exact}, true));
  EXPECT_EQ(on.world.import_outcome, (ImportOutcome{1, 1, {}}));
}

TEST(Import, a_box_thinner_than_a_pixel_is_found_again) {
  auto on = given_task(TaskStatus::pending, false, {there({{0.096, 0.2, 0.0001, 0.4}})});
  on.when(import({coarse(10, 11)}, true));
  EXPECT_EQ(on.world.import_outcome.skipped, 1);
}

TEST(Import, attributes_told_in_part_are_compared_in_part) {
  auto on =
      given_task(TaskStatus::pending, false,
                 {there({{0.1, 0.2, 0.3, 0.4}}, {{"occluded", true}, {"size", std::string("5")}})});
  auto shape = coarse(10, 40);
  const auto skipped = [&] {
    on.when(import({shape}, true));
    return on.world.import_outcome.skipped;
  };
  EXPECT_EQ(skipped(), 1);
  shape.attributes = Attributes{{"occluded", true}, {"size", 5.0}};
  EXPECT_EQ(skipped(), 1);
  shape.coarse->not_true = {"difficult"};
  EXPECT_EQ(skipped(), 1);
  shape.coarse->not_true = {"occluded"};
  EXPECT_EQ(skipped(), 0);
  shape.coarse->not_true = {};
  shape.attributes = Attributes{{"size", 6.0}};
  EXPECT_EQ(skipped(), 0);
}

// As a VOC file tells them: U+FFFD for what XML can't hold, lists as JSON, no types.
TEST(Import, attributes_that_would_be_written_alike_are_the_same) {
  using List = std::vector<std::string>;
  struct Row {
    Attributes known;
    Attributes told;
    bool same;
  };
  const Row rows[] = {
      {{{"a\x01", std::string("\x02\uFFFE")}}, {{"a\uFFFD", std::string("\uFFFD\uFFFD")}}, true},
      {{{"a\x01", 1.0}, {"a\x02", 2.0}}, {{"a\uFFFD", 2.0}}, true},
      {{{"a\x01", 1.0}, {"a\x02", 2.0}}, {{"a\uFFFD", 3.0}}, false},
      {{{"a", std::string("[]")}}, {{"a", List{}}}, true},
      {{{"a", std::string(R"(["x", "y"])")}}, {{"a", List{"x", "y"}}}, true},
      {{{"a", List{"\uFFFE"}}}, {{"a", List{"\uFFFD"}}}, true},
      {{{"a", List{"x"}}}, {{"a", List{"y"}}}, false},
      {{{"a", std::string("True")}}, {{"a", true}}, true},
      {{{"a", std::string("1")}}, {{"a", true}}, true},
      {{{"a", std::string("5.0")}}, {{"a", 5.0}}, true},
      {{{"a", std::string("5.0")}}, {{"a", std::string("5")}}, false},
      {{{"a", 5.0}}, {{"a", std::string("5")}}, true},
      {{{"a", nullptr}}, {{"a", false}}, true},
      {{}, {{"a", false}}, true},
      {{}, {{"a", std::string()}}, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(&row - rows);
    auto on = given_task(TaskStatus::pending, false, {there({{0.1, 0.2, 0.3, 0.4}}, row.known)});
    auto shape = coarse(10, 40);
    shape.attributes = row.told;
    on.when(import({shape}, true));
    EXPECT_EQ(on.world.import_outcome.skipped, row.same ? 1 : 0);
  }
}

}  // namespace
}  // namespace annolog::testing::task_import_test
