// Random task histories, folded by the domain itself and by the projection: both must agree,
// whatever the size of the batches.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "domain/task/state.hpp"
#include "projections/annotations/queries.hpp"
#include "projections/statistics/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/past.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::task_oracle_test {
namespace {

constexpr std::int64_t kTasks = 6;

struct Model {
  std::map<TaskId, TaskState> tasks;
  std::map<AnnotationId, AnnotationState> annotations;
};

class RandomHistory {
 public:
  explicit RandomHistory(unsigned seed) : random_(seed) {}

  // One event of task or annotation, applied to the model as well.
  Event next(Model& model, const Happened& how) {
    const TaskId id{100 + pick(kTasks)};
    TaskState& task = model.tasks.at(id);
    const UserId user{1 + pick(3)};
    switch (pick(16)) {
      case 0: return fold(task, TaskTaken{kProject, id, user, how.at + 1000}, how);
      case 1: return fold(task, TaskLocked{kProject, id, user, how.at + 1000}, how);
      case 2: return fold(task, TaskLockRenewed{kProject, id, user, how.at + 2000}, how);
      case 3: return fold(task, TaskUnlocked{kProject, id, user}, how);
      case 4: return fold(task, TaskSubmitted{kProject, id, user}, how);
      case 5: return fold(task, TaskSentToReview{kProject, id}, how);
      case 6: return fold(task, TaskApproved{kProject, id, user, {}}, how);
      case 7:
        return fold(task, TaskRejected{kProject, id, user, {}, RejectReason::extra, "no"}, how);
      case 8: return fold(task, TaskRejectionAccepted{kProject, id}, how);
      case 9: return fold(task, TaskReopened{kProject, id, {}}, how);
      case 10:
      case 11: return change_annotation(model, how);
      case 12: return restore_annotation(model, how);
      case 13: return fold(task, TaskLockExpired{kProject, id, user, how.at}, how);
      default: return add(model, task, how);
    }
  }

 private:
  std::int64_t pick(std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random_);
  }

  template <class E>
  static Event fold(TaskState& task, E event, const Happened& how) {
    evolve(task, event, how);
    return event;
  }

  Event add(Model& model, TaskState& task, const Happened& how) {
    auto event = boxes_added(task.id, next_annotation_, 1 + pick(3));
    for (auto& added : event.annotations)
      if (pick(3) == 0) added.source = "ai-accepted";
    next_annotation_ += static_cast<std::int64_t>(event.annotations.size());
    for (const auto& added : event.annotations) {
      model.annotations.emplace(added.annotation_id, born(event, added, how));
    }
    return fold(task, event, how);
  }

  AnnotationState* any_annotation(Model& model, bool deleted) {
    std::vector<AnnotationState*> some;
    for (auto& [id, annotation] : model.annotations) {
      if (annotation.deleted_at.has_value() == deleted) some.push_back(&annotation);
    }
    if (some.empty()) return nullptr;
    return some[static_cast<std::size_t>(pick(static_cast<std::int64_t>(some.size())))];
  }

  Event restore_annotation(Model& model, const Happened& how) {
    AnnotationState* const chosen = any_annotation(model, true);
    if (chosen == nullptr) return change_annotation(model, how);
    TaskState& task = model.tasks.at(chosen->task_id);
    const AnnotationRestored event{
        kProject, task.id, chosen->id, chosen->class_id, chosen->version + 1, false};
    evolve(*chosen, event, how);
    return fold(task, event, how);
  }

  Event change_annotation(Model& model, const Happened& how) {
    AnnotationState* const found = any_annotation(model, false);
    if (found == nullptr) return add(model, model.tasks.at(TaskId{100}), how);
    AnnotationState& chosen = *found;
    TaskState& task = model.tasks.at(chosen.task_id);
    if (pick(2) == 0) {
      const AnnotationDeleted event{kProject,           task.id, chosen.id, chosen.class_id,
                                    chosen.version + 1, false};
      evolve(chosen, event, how);
      return fold(task, event, how);
    }
    AnnotationUpdated event{kProject,
                            task.id,
                            chosen.id,
                            chosen.version + 1,
                            ClassId{2},
                            "dog",
                            Polygon{{{0.1, 0.1}, {0.5, 0.1}, {0.3, 0.4}}},
                            {},
                            0.5,
                            3,
                            true};
    evolve(chosen, event, how);
    return fold(task, event, how);
  }

  std::mt19937 random_;
  std::int64_t next_annotation_ = 1000;
};

void expect_same(const TaskView& row, const TaskState& state) {
  EXPECT_EQ(row.status, state.status);
  EXPECT_EQ(row.assignee_id, state.assignee_id);
  EXPECT_EQ(row.reviewer_id, state.reviewer_id);
  ASSERT_EQ(row.lock.has_value(), state.lock.has_value());
  if (row.lock) EXPECT_EQ(row.lock->user_id, state.lock->user_id);
  if (row.lock) EXPECT_EQ(row.lock->expires_at, state.lock->expires_at);
  EXPECT_EQ(row.reject_reason_type, state.reject_reason_type);
  EXPECT_EQ(row.reject_reason, state.reject_reason);
  EXPECT_EQ(row.submitted_at, state.submitted_at);
  EXPECT_EQ(row.reviewed_at, state.reviewed_at);
  EXPECT_EQ(row.skipped_at, state.skipped_at);
  EXPECT_EQ(row.reopened_count, state.reopened_count);
  EXPECT_EQ(row.annotation_count, state.annotation_count);
  EXPECT_EQ(row.version, state.version);
  EXPECT_EQ(row.created_at, state.created_at);
  EXPECT_EQ(row.updated_at, state.updated_at);
}

void expect_same(const AnnotationView& row, const AnnotationState& state) {
  EXPECT_EQ(row.task_id, state.task_id);
  EXPECT_EQ(row.class_id, state.class_id);
  EXPECT_EQ(row.geometry, state.geometry);
  EXPECT_EQ(row.attributes, state.attributes);
  EXPECT_EQ(row.confidence, state.confidence);
  EXPECT_EQ(row.group_id, state.group_id);
  EXPECT_EQ(row.version, state.version);
  EXPECT_EQ(row.created_by, state.created_by);
  EXPECT_EQ(row.updated_by, state.updated_by);
  EXPECT_EQ(row.updated_at, state.updated_at);
  EXPECT_EQ(row.deleted_at, state.deleted_at);
}

// By person and day.
using WorkModel = std::map<UserId, std::map<Day, WorkCounts>>;

void note_work(WorkModel& work, const Event& event, const Happened& how) {
  const auto note = [&](UserId user, WorkAction action) {
    ++work[user][day_of(how.at)].at(static_cast<std::size_t>(action));
  };
  if (const auto* e = std::get_if<TaskSubmitted>(&event)) note(e->user_id, WorkAction::submitted);
  if (const auto* e = std::get_if<TaskApproved>(&event)) note(e->reviewer_id, WorkAction::approved);
  if (const auto* e = std::get_if<TaskRejected>(&event)) note(e->reviewer_id, WorkAction::rejected);
}

// Counted anew from the domain's own states.
void expect_counters(const Model& model, const WorkModel& work, const StatisticsQueries& queries) {
  const std::vector<ProjectId> of{kProject};
  std::map<UserId, TaskCounts> assigned;
  for (const auto& [id, task] : model.tasks) {
    if (task.assignee_id) ++assigned[*task.assignee_id].at(static_cast<std::size_t>(task.status));
  }
  for (std::int64_t user = 1; user <= 3; ++user) {
    SCOPED_TRACE("user " + std::to_string(user));
    const UserId id{user};
    EXPECT_EQ(queries.assigned_by_project(id, of)[kProject], assigned[id]);
    const auto found = work.find(id);
    const auto done = found == work.end() ? WorkModel::mapped_type{} : found->second;
    EXPECT_EQ(queries.work_of(id, day_of({0})), done);
  }
  std::int64_t live = 0;
  std::int64_t accepted = 0;
  for (const auto& [id, annotation] : model.annotations) {
    if (annotation.deleted_at) continue;
    ++live;
    accepted += annotation.source == "ai-accepted" ? 1 : 0;
  }
  EXPECT_EQ(queries.annotations(of).annotations, live);
  EXPECT_EQ(queries.annotations(of).ai_derived, accepted);
  EXPECT_GT(accepted, 0) << "the history must have some";
}

// What is kept of the past gives the same states, at its end and at a moment on the way.
void expect_past(const World& world, const Model& model, const Until& until = {}) {
  std::map<AnnotationId, AnnotationState> annotations;
  for (const auto& [id, state] : model.tasks) {
    SCOPED_TRACE("past of task " + std::to_string(id.value));
    const TaskPast past = past_of(world, id, until);
    EXPECT_TRUE(past.task == state);
    annotations.insert(past.annotations.begin(), past.annotations.end());
  }
  EXPECT_TRUE(annotations == model.annotations);
}

class TaskOracle : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TaskOracle, RowsEqualTheDomainsOwnFold) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  Model model;
  const auto births = tasks_created(100, kTasks);
  for (const NewTask& task : births.tasks) {
    model.tasks.emplace(task.task_id, born(births, task, {UserId{7}, {kStartMs}}));
  }
  world.append(kProjectShard, {project_created(), births});
  WorkModel work;
  RandomHistory history(static_cast<unsigned>(GetParam()));
  Model midway;
  Until then;
  for (int i = 1; i <= 600; ++i) {
    if (i == 300) {
      midway = model;
      then.at = {kStartMs + (i - 1) * (kDayMs / 200)};
    }
    const By by{1 + i % 3, kStartMs + i * (kDayMs / 200)};  // three days
    const Happened how{UserId{by.actor}, {by.at_ms}};
    const Event event = history.next(model, how);
    note_work(work, event, how);
    world.append(kProjectShard, {event}, by);
  }
  world.start();
  world.settle();

  const TaskQueries tasks(*world.pool);
  TaskCounts counts{};
  for (const auto& [id, state] : model.tasks) {
    SCOPED_TRACE("task " + std::to_string(id.value));
    const auto row = tasks.find(id, {0});
    ASSERT_TRUE(row);
    expect_same(*row, state);
    ++counts[static_cast<std::size_t>(state.status)];
  }
  EXPECT_EQ(tasks.counts(kProject), counts);
  expect_counters(model, work, StatisticsQueries(*world.pool));
  expect_past(world, model);
  expect_past(world, midway, then);
  const AnnotationQueries annotations(*world.pool);
  for (const auto& [id, state] : model.annotations) {
    SCOPED_TRACE("annotation " + std::to_string(id.value));
    const auto row = annotations.find(id);
    ASSERT_TRUE(row);
    expect_same(*row, state);
  }
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, TaskOracle, ::testing::Values(1, 7, 64, 5000));

}  // namespace
}  // namespace annolog::projections::testing::task_oracle_test
