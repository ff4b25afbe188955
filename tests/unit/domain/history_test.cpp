// What a task was and how it became what it is, told from its events (docs/decisions/0019).
#include "domain/history/difference.hpp"
#include "domain/history/entries.hpp"
#include "domain/history/past.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::history_test {
namespace {

constexpr AnnotationId kOne{101}, kTwo{102};

// Events with their places, one after the other and a second apart.
std::vector<PastEvent> told(const std::vector<Past>& past) {
  std::vector<PastEvent> events;
  for (const auto& one : past) {
    const auto place = static_cast<std::int64_t>(events.size()) + 1;
    events.push_back({place, {one.how.actor, kNow + place * 1000}, one.event});
  }
  return events;
}

TaskPast folded(const std::vector<PastEvent>& events, std::size_t count) {
  TaskPast past;
  for (std::size_t i = 0; i < count; ++i) evolve(past, kTask, events[i]);
  return past;
}
TaskPast folded(const std::vector<PastEvent>& events) { return folded(events, events.size()); }

std::vector<HistoryEntry> history_of(const std::vector<PastEvent>& events) {
  std::vector<HistoryEntry> all;
  TaskPast past;
  for (const auto& event : events)
    for (auto& entry : step(past, kTask, event)) all.push_back(std::move(entry));
  return all;
}

std::vector<std::string> types_of(const std::vector<HistoryEntry>& entries) {
  std::vector<std::string> types;
  for (const auto& entry : entries) types.emplace_back(entry.type);
  return types;
}

TaskAnnotationsAdded drawn(std::vector<NewAnnotation> annotations) {
  return {kProject, kTask, std::move(annotations)};
}

AnnotationUpdated moved(AnnotationId id, std::int64_t version, Geometry to) {
  return {.project_id = kProject,
          .task_id = kTask,
          .annotation_id = id,
          .version = version,
          .class_id = ClassId{1},
          .class_name = "car",
          .geometry = std::move(to),
          .attributes = {},
          .confidence = std::nullopt,
          .group_id = std::nullopt};
}
AnnotationDeleted erased(AnnotationId id, std::int64_t version) {
  return {kProject, kTask, id, ClassId{1}, version};
}
AnnotationRestored brought_back(AnnotationId id, std::int64_t version) {
  return {kProject, kTask, id, ClassId{1}, version};
}

BatchCreated founded(std::optional<UserId> annotator, BatchId id = kBatch) {
  return {kProject, id, kBatchNumber, "Night", annotator, kReviewer};
}
BatchAssigned given_to(std::optional<UserId> annotator, BatchId id = kBatch) {
  return {kProject, id, annotator, kReviewer, true, false};
}
BatchTasksAdded joined(std::vector<TaskId> tasks, BatchId id = kBatch) {
  return {kProject, id, kAnnotator, kReviewer, std::move(tasks)};
}

// Drawn twice, one changed and deleted, the other deleted and brought back; then submitted.
std::vector<PastEvent> worked_on() {
  return told({Event{created_task()},
               {TaskTaken{kProject, kTask, kAnnotator, kLockEnd}, kAnnotator},
               {drawn({made(101), made(102, "bus")}), kAnnotator},
               {moved(kOne, 2, Bbox{0.5, 0.5, 0.1, 0.1}), kAnnotator},
               {erased(kOne, 3), kAnnotator},
               {erased(kTwo, 2), kAnnotator},
               {brought_back(kTwo, 3), kAnnotator},
               {TaskSubmitted{kProject, kTask, kAnnotator}, kAnnotator}});
}

// --- The fold up to a moment.

TEST(TaskPastOf, every_status_is_what_the_task_itself_is) {
  for (const TaskStatus status :
       {TaskStatus::pending, TaskStatus::in_progress, TaskStatus::submitted, TaskStatus::review,
        TaskStatus::rejected, TaskStatus::completed}) {
    auto way = way_to(status);
    TaskPast past;
    for (std::size_t i = 0; i < way.size(); ++i)
      evolve(past, kTask, {static_cast<std::int64_t>(i), way[i].how, way[i].event});
    EXPECT_EQ(past.task, given_task(status).world.task);
  }
}

TEST(TaskPastOf, nothing_is_there_before_the_birth) {
  EXPECT_EQ(folded(worked_on(), 0).task.version, 0);
  EXPECT_EQ(folded(worked_on(), 1).task.version, 1);
}

TEST(TaskPastOf, each_moment_has_its_annotations) {
  const auto events = worked_on();
  EXPECT_TRUE(folded(events, 2).annotations.empty());
  EXPECT_EQ(folded(events, 3).annotations.at(kOne).geometry, Geometry(Bbox{0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(folded(events, 4).annotations.at(kOne).geometry, Geometry(Bbox{0.5, 0.5, 0.1, 0.1}));
  EXPECT_TRUE(folded(events, 5).annotations.at(kOne).deleted_at);
  EXPECT_TRUE(folded(events, 6).annotations.at(kTwo).deleted_at);
  EXPECT_FALSE(folded(events, 7).annotations.at(kTwo).deleted_at);
  EXPECT_EQ(folded(events).task.annotation_count, 1);
  EXPECT_EQ(folded(events).task.status, TaskStatus::submitted);
}

TEST(TaskPastOf, what_happens_to_other_tasks_changes_nothing) {
  auto births = created_task();
  births.tasks.front().task_id = TaskId{31};
  births.tasks.push_back(created_task().tasks.front());
  const auto events =
      told({Event{births}, Event{TaskLocked{kProject, TaskId{31}, kOther, kLockEnd}},
            Event{TaskAnnotationsAdded{kProject, TaskId{31}, {made(500)}}},
            Event{founded(kAnnotator)}, Event{joined({TaskId{31}})}, Event{given_to(kOther)}});
  const auto past = folded(events);
  EXPECT_EQ(past.task.id, kTask);
  EXPECT_EQ(past.task.version, 1);
  EXPECT_TRUE(past.annotations.empty());
}

TEST(TaskPastOf, a_batch_gives_it_people_and_takes_them_back) {
  const auto events =
      told({Event{created_task()}, Event{founded(kAnnotator)}, Event{joined({kTask})},
            Event{given_to(kOther)}, Event{given_to(std::nullopt)},
            Event{BatchTasksRemoved{kProject, kBatch, {kTask}}}, Event{given_to(kAnnotator)}});
  EXPECT_EQ(folded(events, 3).task.assignee_id, kAnnotator);
  EXPECT_EQ(folded(events, 3).task.status, TaskStatus::assigned);
  EXPECT_EQ(folded(events, 4).task.assignee_id, kOther);
  EXPECT_EQ(folded(events, 5).task.assignee_id, std::nullopt);
  EXPECT_EQ(folded(events, 5).task.status, TaskStatus::pending);
  EXPECT_EQ(folded(events, 6).task.batch_id, std::nullopt);
  EXPECT_EQ(folded(events, 7).task, folded(events, 6).task) << "it has left";
}

TEST(TaskPastOf, a_reset_or_a_deleted_batch_reaches_those_in_it) {
  const auto events = told(
      {Event{created_task()},
       Event{founded(kAnnotator)},
       Event{joined({kTask})},
       {TaskSubmitted{kProject, kTask, kAnnotator}, kAnnotator},
       Event{BatchReset{kProject, kBatch, BatchStatus::annotating, kReviewer, "all over again"}},
       Event{BatchDeleted{kProject, kBatch}},
       Event{BatchReset{kProject, kBatch, BatchStatus::draft, std::nullopt, "of nobody"}}});
  EXPECT_EQ(folded(events, 4).task.status, TaskStatus::submitted);
  EXPECT_EQ(folded(events, 5).task.status, TaskStatus::pending);
  EXPECT_EQ(folded(events, 5).task.reviewer_id, kReviewer);
  EXPECT_EQ(folded(events, 6).task.batch_id, std::nullopt);
  EXPECT_EQ(folded(events, 7).task, folded(events, 6).task);
}

// --- The history.

TEST(TaskHistory, each_event_and_each_shape_has_an_entry) {
  const auto entries = history_of(worked_on());
  EXPECT_EQ(types_of(entries), (std::vector<std::string>{
                                   "tasks.created", "task.taken", "annotation.created",
                                   "annotation.created", "annotation.updated", "annotation.deleted",
                                   "annotation.deleted", "annotation.restored", "task.submitted"}));
  EXPECT_EQ(entries.front().how.actor, kOwner);
  EXPECT_FALSE(entries.front().task_before);
  EXPECT_EQ(entries.front().task_after->status, TaskStatus::pending);
  EXPECT_EQ(entries.back().how.actor, kAnnotator);
  EXPECT_EQ(entries.back().task_before->status, TaskStatus::in_progress);
  EXPECT_EQ(entries.back().task_after->status, TaskStatus::submitted);
  EXPECT_EQ(entries.back().version, 8);
}

TEST(TaskHistory, an_annotation_shows_its_sides_and_is_none_while_deleted) {
  const auto entries = history_of(worked_on());
  const auto& created = entries.at(2);
  EXPECT_EQ(created.annotation_id, kOne);
  EXPECT_FALSE(created.annotation_before);
  EXPECT_EQ(created.annotation_after->version, 1);
  const auto& updated = entries.at(4);
  EXPECT_EQ(updated.annotation_before->geometry, Geometry(Bbox{0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(updated.annotation_after->geometry, Geometry(Bbox{0.5, 0.5, 0.1, 0.1}));
  EXPECT_EQ(updated.version, 2);
  const auto& deleted = entries.at(5);
  EXPECT_TRUE(deleted.annotation_before);
  EXPECT_FALSE(deleted.annotation_after);
  EXPECT_EQ(deleted.version, 3);
  const auto& restored = entries.at(7);
  EXPECT_FALSE(restored.annotation_before);
  EXPECT_EQ(restored.annotation_after->version, 3);
}

TEST(TaskHistory, a_renewed_lock_is_no_entry_but_counts) {
  const auto events =
      told({Event{created_task()}, Event{TaskLocked{kProject, kTask, kAnnotator, kLockEnd}},
            Event{TaskLockRenewed{kProject, kTask, kAnnotator, kLockEnd + 1000}},
            Event{TaskUnlocked{kProject, kTask, kAnnotator}}});
  const auto entries = history_of(events);
  EXPECT_EQ(types_of(entries),
            (std::vector<std::string>{"tasks.created", "task.locked", "task.unlocked"}));
  EXPECT_EQ(entries.back().version, 4);
  EXPECT_EQ(entries.back().task_before->lock->expires_at, kLockEnd + 1000);
}

TEST(TaskHistory, a_lock_that_ended_by_itself_is_no_entry_and_no_version) {
  const auto events =
      told({Event{created_task()}, Event{TaskTaken{kProject, kTask, kAnnotator, kLockEnd}},
            Event{TaskLockExpired{kProject, kTask, kAnnotator, kLockEnd}},
            Event{TaskLocked{kProject, kTask, kAnnotator, kLockEnd + kDefaultLockMs}}});
  const auto entries = history_of(events);
  EXPECT_EQ(types_of(entries),
            (std::vector<std::string>{"tasks.created", "task.taken", "task.locked"}));
  EXPECT_EQ(entries.back().version, 3);
  EXPECT_FALSE(entries.back().task_before->lock);
}

TEST(TaskHistory, a_batch_shows_where_it_changed_the_task) {
  const BatchId other{61};
  const auto events = told({Event{created_task()},
                            Event{founded(kAnnotator)},
                            Event{founded(kAnnotator, other)},
                            Event{joined({kTask})},
                            Event{given_to(kOther)},
                            Event{given_to(kOther, other)},
                            {TaskSubmitted{kProject, kTask, kOther}, kOther},
                            {TaskApproved{kProject, kTask, kReviewer, kOther}, kReviewer},
                            Event{given_to(kAnnotator)},
                            Event{BatchDeleted{kProject, kBatch}}});
  EXPECT_EQ(types_of(history_of(events)),
            (std::vector<std::string>{"tasks.created", "batch.tasks_added", "batch.assigned",
                                      "task.submitted", "task.approved", "batch.deleted"}))
      << "completed tasks don't follow";
}

TEST(TaskHistory, of_an_annotation_tells_what_was_decided_about_the_work) {
  std::vector<std::string> related;
  for (const auto& entry : history_of(
           told({Event{created_task()}, Event{TaskTaken{kProject, kTask, kAnnotator, kLockEnd}},
                 Event{TaskSubmitted{kProject, kTask, kAnnotator}},
                 Event{TaskSentToReview{kProject, kTask}},
                 Event{TaskRejected{kProject, kTask, kReviewer, kAnnotator, RejectReason::extra,
                                    std::nullopt}},
                 Event{TaskRejectionAccepted{kProject, kTask}},
                 Event{TaskSkipped{kProject, kTask, kAnnotator, std::nullopt}}}))) {
    if (concerns_annotations(entry)) related.emplace_back(entry.type);
  }
  EXPECT_EQ(related,
            (std::vector<std::string>{"task.submitted", "task.sent_to_review", "task.rejected",
                                      "task.rejection_accepted", "task.skipped"}));
}

// --- Differences.

std::vector<AnnotationId> ids_of(const std::vector<AnnotationState>& annotations) {
  std::vector<AnnotationId> ids;
  for (const auto& one : annotations) ids.push_back(one.id);
  return ids;
}

TEST(TaskDifferenceOf, a_moment_with_itself_is_none) {
  const auto events = worked_on();
  for (std::size_t i = 0; i <= events.size(); ++i) {
    const auto past = folded(events, i);
    EXPECT_EQ(difference(past, past), Difference{}) << i;
  }
}

TEST(TaskDifferenceOf, what_came_went_and_changed) {
  const auto events = worked_on();
  const auto since_birth = difference(folded(events, 1), folded(events));
  EXPECT_EQ(ids_of(since_birth.added), std::vector{kTwo}) << "what came and went is neither";
  EXPECT_TRUE(since_birth.removed.empty());
  EXPECT_TRUE(since_birth.changed.empty());

  const auto since_drawn = difference(folded(events, 3), folded(events, 4));
  ASSERT_EQ(since_drawn.changed.size(), 1U);
  EXPECT_EQ(since_drawn.changed[0].before.version, 1);
  EXPECT_EQ(since_drawn.changed[0].after.version, 2);

  const auto since_change = difference(folded(events, 4), folded(events));
  EXPECT_EQ(ids_of(since_change.removed), std::vector{kOne});
  EXPECT_EQ(since_change.removed[0].version, 2) << "as it was";
  EXPECT_TRUE(since_change.changed.empty()) << "deleted and brought back as it was";
}

TEST(TaskDifferenceOf, a_change_that_was_undone_is_none) {
  const auto events = told({Event{created_task()}, Event{drawn({made(101)})},
                            Event{moved(kOne, 2, Bbox{0.5, 0.5, 0.1, 0.1})},
                            Event{moved(kOne, 3, Bbox{0.1, 0.2, 0.3, 0.4})}});
  EXPECT_EQ(difference(folded(events, 2), folded(events)), Difference{});
  EXPECT_EQ(difference(folded(events, 2), folded(events, 3)).changed.size(), 1U);
}

}  // namespace
}  // namespace annolog::testing::history_test
