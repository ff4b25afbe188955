// How the past is shown: entries of histories, pages of moments, differences.
#include "api/past_tasks.hpp"

#include <gtest/gtest.h>

#include "api/views/history.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api::past_tasks_test {
namespace {

constexpr Timestamp kNow{1'750'000'000'000};
constexpr ProjectId kProject{10};
constexpr TaskId kTask{30};
constexpr UserId kAda{7};

// The last naming came after all that happened to the task.
projections::ClassNames class_names() {
  return projections::ClassNames({{ClassId{1}, 1, kNow, "car"},
                                  {ClassId{1}, 90, kNow + 90'000, "vehicle"},
                                  {ClassId{2}, 1, kNow, "bus"}});
}

NewAnnotation shape(std::int64_t id, double x) {
  return {.annotation_id = AnnotationId{id},
          .class_id = ClassId{1},
          .class_name = "car",
          .geometry = Bbox{x, 0.2, 0.3, 0.4},
          .attributes = {},
          .source = "manual",
          .parent_prediction_id = std::nullopt,
          .confidence = std::nullopt,
          .group_id = std::nullopt};
}

// Born, taken, three shapes, one changed, one deleted, submitted: a second each.
std::vector<PastEvent> events() {
  const std::vector<Event> all{
      TasksCreated{kProject, DatasetId{20}, {{kTask, 4, ItemId{40}, "a.png", "k/a", 640, 480}}},
      TaskTaken{kProject, kTask, kAda, kNow + 60'000},
      TaskAnnotationsAdded{kProject, kTask, {shape(101, 0.1), shape(102, 0.2), shape(103, 0.3)}},
      AnnotationUpdated{.project_id = kProject,
                        .task_id = kTask,
                        .annotation_id = AnnotationId{101},
                        .version = 2,
                        .class_id = ClassId{2},
                        .class_name = "bus",
                        .geometry = Bbox{0.1, 0.2, 0.3, 0.4},
                        .attributes = {},
                        .confidence = 0.5,
                        .group_id = std::nullopt},
      AnnotationDeleted{kProject, kTask, AnnotationId{102}, ClassId{1}, 2},
      TaskSubmitted{kProject, kTask, kAda}};
  std::vector<PastEvent> told;
  for (const auto& event : all) {
    const auto place = static_cast<std::int64_t>(told.size()) + 1;
    told.push_back({place, {place == 1 ? kSystemUser : kAda, kNow + place * 1000}, event});
  }
  return told;
}

PastTask at(std::size_t count) {
  PastTask task{.past = {}, .at = kNow, .classes = class_names(), .until = {}};
  const auto told = events();
  for (std::size_t i = 0; i < count; ++i) evolve(task.past, kTask, told[i]);
  if (count > 0) {
    task.at = told[count - 1].how.at;
    task.until = {.log_offset = told[count - 1].position};
  }
  return task;
}

std::vector<TaskHistoryItem> items() {
  std::vector<TaskHistoryItem> all;
  TaskPast past;
  const auto classes = class_names();
  for (const auto& event : events()) {
    for (const auto& entry : step(past, kTask, event))
      all.push_back(history_item(entry, static_cast<std::int64_t>(all.size()) + 1,
                                 {classes, {.log_offset = event.position}}));
  }
  return all;
}

TEST(HistoryItems, of_the_task_tell_what_changed_of_it) {
  const auto all = items();
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].type, "tasks.created");
  EXPECT_FALSE(all[0].actor) << "the service itself";
  EXPECT_EQ(all[0].before.text, "null");
  EXPECT_NE(all[0].after.text.find("\"status\":\"pending\""), std::string::npos);
  EXPECT_EQ(all[1].actor->id, kAda);
  EXPECT_EQ(all[1].before.text, R"({"assignee_id":null,"lock":null,"status":"pending"})");
  EXPECT_EQ(all[1].after.text,
            R"({"assignee_id":7,"lock":{"user_id":7,"expires_at":"2025-06-15T15:07:40.000Z"},)"
            R"("status":"in_progress"})");
  EXPECT_EQ(all[7].type, "task.submitted");
  EXPECT_EQ(all[7].version, 6);
}

TEST(HistoryItems, of_an_annotation_show_it_whole) {
  const auto all = items();
  EXPECT_EQ(all[2].type, "annotation.created");
  EXPECT_EQ(all[2].before.text, "null");
  EXPECT_EQ(all[5].annotation_id, AnnotationId{101});
  EXPECT_NE(all[5].before.text.find("\"class_name\":\"car\""), std::string::npos);
  EXPECT_NE(all[5].after.text.find("\"class_name\":\"bus\""), std::string::npos);
  EXPECT_EQ(all[6].type, "annotation.deleted");
  EXPECT_EQ(all[6].after.text, "null");
  EXPECT_EQ(all[6].version, 2);
}

TEST(PastTasks, show_their_live_annotations_newest_first_page_by_page) {
  const auto task = at(6);
  std::vector<std::int64_t> seen;
  std::optional<projections::TimeCursor> after;
  do {
    const auto page = live_annotations(task, after, 1);
    ASSERT_EQ(page.items.size(), 1U);
    seen.push_back(page.items[0].id.value);
    after = page.next;
  } while (after);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{103, 101}));
  EXPECT_EQ(live_annotations(at(3), {}, 50).items.size(), 3U);
  EXPECT_TRUE(live_annotations(at(2), {}, 50).items.empty());
}

TEST(PageRoom, ends_by_items_or_bytes_and_has_place_for_one) {
  PageRoom few(2);
  EXPECT_TRUE(few.take(1));
  EXPECT_TRUE(few.take(1));
  EXPECT_FALSE(few.take(0));
  const auto most = static_cast<std::size_t>(projections::kPageBytes);
  PageRoom small(200);
  EXPECT_TRUE(small.take(most / 2));
  EXPECT_TRUE(small.take(most / 2));
  EXPECT_FALSE(small.take(1));
  PageRoom big(200);
  EXPECT_TRUE(big.take(most * 3));
  EXPECT_FALSE(big.take(0)) << "it is too long already";
}

TEST(PastTasks, have_the_names_that_classes_had) {
  auto task = at(3);
  const auto& shape_of_then = task.past.annotations.begin()->second;
  EXPECT_EQ(task.view(shape_of_then).class_name, "car");
  task.until = {};
  EXPECT_EQ(task.view(shape_of_then).class_name, "vehicle");
}

TEST(PastTasks, have_the_lock_that_was_live) {
  EXPECT_EQ(at(2).view().lock->user_id, kAda);
  auto later = at(2);
  later.at = kNow + 60'000;
  EXPECT_FALSE(later.view().lock);
  EXPECT_EQ(at(2).view().display_id, "T-4");
}

TEST(Differences, name_the_fields_of_both) {
  const auto view = difference_view(at(3), at(6));
  EXPECT_EQ(view.from.version, 3);
  EXPECT_EQ(view.to.version, 6);
  std::vector<std::string> fields;
  for (const auto& [name, change] : view.task) fields.push_back(name);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"annotation_count", "lock", "status", "submitted_at"}));
  EXPECT_EQ(view.task.at("annotation_count").before.text, "3");
  EXPECT_EQ(view.task.at("annotation_count").after.text, "2");
  ASSERT_EQ(view.annotations.changed.size(), 1U);
  EXPECT_EQ(view.annotations.changed[0].fields,
            (std::vector<std::string>{"class_id", "class_name", "confidence"}));
  ASSERT_EQ(view.annotations.removed.size(), 1U);
  EXPECT_EQ(view.annotations.removed[0].id, AnnotationId{102});
  EXPECT_TRUE(view.annotations.added.empty());
}

TEST(Differences, of_a_moment_with_itself_are_none) {
  const auto view = difference_view(at(6), at(6));
  EXPECT_TRUE(view.task.empty());
  EXPECT_EQ(codec::to_json_text(view.annotations), R"({"added":[],"removed":[],"changed":[]})");
}

}  // namespace
}  // namespace annolog::api::past_tasks_test
