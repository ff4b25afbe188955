// Random histories of tasks and their batches, folded by the domain itself and by the projection:
// both must agree, whatever the size of the projector's batches, and so must a rebuild.
#include <map>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "domain/batch/view.hpp"
#include "domain/codec/domain_json.hpp"
#include "projections/batches/queries.hpp"
#include "projections/statistics/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/past.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::batch_oracle_test {
namespace {

struct Model {
  std::map<TaskId, TaskState> tasks;
  std::map<BatchId, BatchState> batches;
};

class RandomBatches {
 public:
  explicit RandomBatches(unsigned seed) : random_(seed) {}

  std::vector<Event> next(Model& model, const Happened& how) {
    const auto dice = pick(20);
    if (model.tasks.size() < 8 || (dice == 0 && model.tasks.size() < 60)) return create(model, how);
    if (model.batches.empty() || (dice == 1 && model.batches.size() < 6)) return found(model, how);
    switch (dice) {
      case 2:
      case 3: return join_some(model, how);
      case 4: return leave_some(model, how);
      case 5:
      case 6: return assign_some(model, how);
      case 7: return reset_one(model, how);
      case 8: return remove_one(model, how);
      case 9: return move_one(model, how);
      case 10: return end_some(model, how);
      default: return {of_task(model, how)};
    }
  }

  const std::vector<TaskId>& ended() const { return ended_; }

 private:
  std::int64_t pick(std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random_);
  }
  std::optional<UserId> anyone() {
    const auto user = pick(4);
    return user == 0 ? std::nullopt : std::optional(UserId{user});
  }
  template <class Map>
  typename Map::iterator any(Map& map) {
    return std::next(map.begin(), pick(static_cast<std::int64_t>(map.size())));
  }
  template <class Change>
  static void each_of(Model& model, BatchId batch, const Change& change) {
    for (auto& [id, task] : model.tasks) {
      if (task.batch_id == batch) change(task);
    }
  }
  std::vector<TaskId> some_in(const Model& model, std::optional<BatchId> batch) {
    std::vector<TaskId> ids;
    for (const auto& [id, task] : model.tasks) {
      if (task.batch_id == batch && pick(3) == 0) ids.push_back(id);
    }
    return ids;
  }

  std::vector<Event> create(Model& model, const Happened& how) {
    const auto count = 1 + pick(5);
    const auto births = tasks_created(next_task_, count);
    next_task_ += count;
    for (const NewTask& task : births.tasks) {
      model.tasks.emplace(task.task_id, born(births, task, how));
    }
    return {births};
  }

  std::vector<Event> found(Model& model, const Happened& how) {
    const BatchId id{next_batch_++};
    const BatchCreated event{kProject, id, id.value, "a batch", anyone(), anyone()};
    model.batches.emplace(id, born(event, how));
    return {event};
  }

  std::vector<Event> join_some(Model& model, const Happened& how) {
    const BatchState& batch = any(model.batches)->second;
    auto ids = some_in(model, std::nullopt);
    for (const auto id : ids) join(model.tasks.at(id), batch, how);
    return {BatchTasksAdded{kProject, batch.id, batch.annotator_id, batch.reviewer_id, ids}};
  }

  std::vector<Event> leave_some(Model& model, const Happened& how) {
    const BatchId batch = any(model.batches)->first;
    auto ids = some_in(model, batch);
    for (const auto id : ids) leave(model.tasks.at(id), how);
    return {BatchTasksRemoved{kProject, batch, ids}};
  }

  // Several batches in a row, as a bulk call has them.
  std::vector<Event> assign_some(Model& model, const Happened& how) {
    std::vector<Event> events;
    for (auto& [id, batch] : model.batches) {
      if (pick(2) == 0) continue;
      BatchAssigned event{kProject, id, anyone(), anyone(), false, false};
      event.annotator_changed = event.annotator_id != batch.annotator_id;
      event.reviewer_changed = event.reviewer_id != batch.reviewer_id;
      if (!event.annotator_changed && !event.reviewer_changed) continue;
      evolve(batch, event, how);
      each_of(model, id, [&](TaskState& task) { task = caught_up(task, batch); });
      events.emplace_back(event);
    }
    return events;
  }

  std::vector<Event> reset_one(Model& model, const Happened& how) {
    BatchState& batch = any(model.batches)->second;
    const BatchReset event{kProject, batch.id, batch.status, batch.reviewer_id, "all over again"};
    evolve(batch, event, how);
    each_of(model, batch.id, [&](TaskState& task) { reset(task, event, how); });
    return {event};
  }

  std::vector<Event> remove_one(Model& model, const Happened& how) {
    if (pick(3) > 0) return {of_task(model, how)};
    const BatchId id = any(model.batches)->first;
    each_of(model, id, [&](TaskState& task) { leave(task, how); });
    model.batches.erase(id);
    return {BatchDeleted{kProject, id}};
  }

  // Their dataset is unlinked: batches that lose the last of their tasks go too.
  std::vector<Event> end_some(Model& model, const Happened&) {
    TasksRemoved removed{kProject, kDataset, {}};
    std::map<BatchId, std::int64_t> left;
    std::map<BatchId, std::int64_t> lost;
    for (const auto& [id, task] : model.tasks) {
      if (task.batch_id) ++left[*task.batch_id];
      if (pick(4) > 0) continue;
      removed.task_ids.push_back(id);
      if (task.batch_id) ++lost[*task.batch_id];
    }
    for (const TaskId id : removed.task_ids) model.tasks.erase(id);
    ended_.insert(ended_.end(), removed.task_ids.begin(), removed.task_ids.end());
    std::vector<Event> events{removed};
    for (const auto& [batch, tasks] : lost) {
      if (tasks < left[batch]) continue;
      model.batches.erase(batch);
      events.emplace_back(BatchDeleted{kProject, batch});
    }
    return events;
  }

  std::vector<Event> move_one(Model& model, const Happened& how) {
    BatchState& batch = any(model.batches)->second;
    const auto to = static_cast<BatchStatus>(pick(7));
    const BatchMoved event{
        kProject,     batch.id,           batch.status,     to, false, "a reason",
        "a feedback", batch.annotator_id, batch.reviewer_id};
    evolve(batch, event, how);
    const BatchRenamed renamed{kProject, batch.id, "batch " + std::to_string(pick(100))};
    evolve(batch, renamed, how);
    return {event, renamed};
  }

  template <class E>
  static Event fold(TaskState& task, E event, const Happened& how) {
    evolve(task, event, how);
    return event;
  }

  Event of_task(Model& model, const Happened& how) {
    TaskState& task = any(model.tasks)->second;
    const TaskId id = task.id;
    const UserId user{1 + pick(3)};
    switch (pick(10)) {
      case 0: return fold(task, TaskTaken{kProject, id, user, how.at + 1000}, how);
      case 1: return fold(task, TaskLocked{kProject, id, user, how.at + 1000}, how);
      case 2: return fold(task, TaskSubmitted{kProject, id, user}, how);
      case 3: return fold(task, TaskSentToReview{kProject, id}, how);
      case 4: return fold(task, TaskApproved{kProject, id, user, {}}, how);
      case 5: return fold(task, TaskReopened{kProject, id, {}}, how);
      case 6: return fold(task, TaskSkipped{kProject, id, user, {}}, how);
      case 7: return fold(task, TaskUnlocked{kProject, id, user}, how);
      case 8: return fold(task, TaskLockExpired{kProject, id, user, how.at}, how);
      default:
        return fold(task, TaskRejected{kProject, id, user, {}, RejectReason::extra, "no"}, how);
    }
  }

  std::mt19937 random_;
  std::vector<TaskId> ended_;
  std::int64_t next_task_ = 100;
  std::int64_t next_batch_ = 1;
};

void expect_same(const TaskView& row, const TaskState& state) {
  TaskView expected = to_view(state, {0});
  expected.dataset_id = row.dataset_id;
  EXPECT_EQ(codec::to_json_text(row), codec::to_json_text(expected));
}

void expect_counters(const World& world, const Model& model) {
  std::map<BatchId, BatchProgress> progress;
  std::map<UserId, TaskCounts> assigned;
  TaskCounts counts{};
  std::int64_t unclassified = 0;
  for (const auto& [id, task] : model.tasks) {
    const auto place = static_cast<std::size_t>(task.status);
    ++counts.at(place);
    if (task.batch_id) ++progress[*task.batch_id].of(task.status);
    if (!task.batch_id) ++unclassified;
    if (task.assignee_id) ++assigned[*task.assignee_id].at(place);
  }
  EXPECT_EQ(TaskQueries(*world.pool).counts(kProject), counts);
  const BatchQueries batches(*world.pool);
  EXPECT_EQ(batches.unclassified(kProject), unclassified);
  EXPECT_EQ(batches.list({.project_id = kProject}, std::nullopt, 100).items.size(),
            model.batches.size());
  for (const auto& [id, batch] : model.batches) {
    const auto row = batches.find(kProject, {id.value, 0, {}});
    ASSERT_TRUE(row);
    EXPECT_EQ(codec::to_json_text(*row), codec::to_json_text(to_view(batch, progress[id])));
  }
  for (std::int64_t user = 1; user <= 3; ++user) {
    const StatisticsQueries statistics(*world.pool);
    EXPECT_EQ(statistics.assigned_by_project(UserId{user}, std::vector{kProject})[kProject],
              assigned[UserId{user}])
        << "user " << user;
  }
}

// What is kept of the past gives the same tasks, at its end and at a moment on the way.
void expect_past(const World& world, const Model& model, const Until& until = {}) {
  for (const auto& [id, state] : model.tasks) {
    SCOPED_TRACE("past of task " + std::to_string(id.value));
    const TaskState task = past_of(world, id, until).task;
    EXPECT_EQ(codec::to_json_text(to_view(task, {0})), codec::to_json_text(to_view(state, {0})));
    EXPECT_EQ(task.batch_change, state.batch_change);
  }
}

// Records a batch of events; tasks that follow a change of their batch at once, and a step later.
class BatchOracle : public ::testing::TestWithParam<std::tuple<std::size_t, std::pair<int, int>>> {
};

TEST_P(BatchOracle, RowsEqualTheDomainsOwnFold) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const auto [batch_records, settling] = GetParam();
  World world(batch_records);
  world.settle_tasks = settling.first;
  world.settle_step = settling.second;
  Model model;
  world.append(kProjectShard, {project_created()});
  RandomBatches history(static_cast<unsigned>(batch_records));
  Model midway;
  Until then;
  for (int i = 1; i <= 700; ++i) {
    if (i == 400) {
      midway = model;
      then.log_offset = end_of(world, kProjectShard);
    }
    const By by{1 + i % 3, kStartMs + i * 1000};
    const auto events = history.next(model, {UserId{by.actor}, {by.at_ms}});
    if (!events.empty()) world.append(kProjectShard, events, by);
  }
  world.start();
  world.settle();
  for (const auto& [id, state] : model.tasks) {
    SCOPED_TRACE("task " + std::to_string(id.value));
    const auto row = TaskQueries(*world.pool).find(id, {0});
    ASSERT_TRUE(row);
    expect_same(*row, state);
  }
  for (const TaskId id : history.ended()) EXPECT_FALSE(TaskQueries(*world.pool).find(id, {0}));
  expect_counters(world, model);
  expect_past(world, model);
  for (const TaskId id : history.ended()) midway.tasks.erase(id);  // their past went with them
  expect_past(world, midway, then);
  const std::string followed = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), followed);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, BatchOracle,
                         ::testing::Combine(::testing::Values(1, 3, 17, 150, 5000),
                                            ::testing::Values(std::pair(0, 1), std::pair(0, 100),
                                                              std::pair(1000, 100))));

}  // namespace
}  // namespace annolog::projections::testing::batch_oracle_test
