// A change of a batch's people reaches few tasks with its event and many later, exactly once.
#include <gtest/gtest.h>

#include "projections/batches/queries.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::settling_test {
namespace {

constexpr std::int64_t kTasks = 20;
constexpr UserId kAnn{3};
constexpr UserId kBob{4};
constexpr BatchId kOther{601};

class Settling : public ::testing::Test {
 protected:
  void SetUp() override { ANNOLOG_NEEDS_POSTGRESQL(); }

  // Two batches of ten tasks, shown.
  void begin() {
    world.append(kProjectShard, {project_created(), tasks_created(100, kTasks)});
    world.append(kProjectShard, batch_of(100, kTasks / 2));
    world.append(kProjectShard, batch_of(100 + kTasks / 2, kTasks / 2, kOther));
    world.listeners.push_back([this](std::span<const AppliedEvent> events) {
      for (const auto& applied : events) {
        if (std::holds_alternative<BatchAssigned>(*applied.event)) seen = seen_now();
      }
    });
    world.start();
    world.settle();
  }
  void assign(const std::vector<Event>& events) {
    world.append(kProjectShard, events, {.actor = 7, .at_ms = kStartMs + 1000});
  }
  // "<unsettled batches> <tasks of Ann>"
  std::string seen_now() {
    return ask(world.database.url(),
               "SELECT (SELECT count(*) FROM unsettled_batches) || ' ' || (SELECT count(*) FROM "
               "tasks WHERE assignee_id = 3)");
  }
  // As a process left it that died: a change to Ann that the tasks up to that one have taken in.
  void leave_unsettled(std::int64_t settled_to) {
    connect_to(world.database.url())
        ->run("INSERT INTO read_live.unsettled_batches VALUES (600, " +
              std::to_string(kProjectShard) + ", " + std::to_string(kProject.value) +
              ", 3, NULL, true, false, 1, 1, " + std::to_string(settled_to) + ")");
    world.barrier.set_settled(eventstore::ShardId{kProjectShard},
                              false);  // a new process knows nothing
  }
  std::string people() {
    return ask(world.database.url(),
               "SELECT string_agg(DISTINCT concat_ws(':', batch_id, assignee_id, status, version), "
               "' ') FROM tasks");
  }

  World world;
  std::string seen;  // when a change of people was committed
};

TEST_F(Settling, few_tasks_follow_with_the_event) {
  begin();
  assign({handed_to(kAnn)});
  world.settle();
  EXPECT_EQ(seen, "0 10");
}

TEST_F(Settling, many_follow_later_a_batch_at_a_time) {
  world.settle_tasks = 0;
  begin();
  assign({handed_to(kAnn), handed_to(kBob, kOther)});
  world.settle();
  EXPECT_EQ(seen, "2 0");
  EXPECT_EQ(people(), "600:3:assigned:3 601:4:assigned:3");
}

TEST_F(Settling, the_first_that_are_few_together_follow_with_the_event) {
  world.settle_tasks = 10;
  begin();
  assign({handed_to(kAnn), handed_to(kBob, kOther)});
  world.settle();
  EXPECT_EQ(seen, "1 10");
}

TEST_F(Settling, several_changes_are_taken_in_as_one_that_counts_for_all) {
  world.settle_tasks = 0;
  begin();
  BatchAssigned reviewer{kProject, kBatch, kAnn, kBob, false, true};
  assign({handed_to(kBob), handed_to(kAnn), reviewer});
  world.settle();
  EXPECT_EQ(people(), "600:3:assigned:5 601:pending:2");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM tasks WHERE reviewer_id = 4"), "10");
}

TEST_F(Settling, an_event_about_a_task_finds_its_batch_settled) {
  world.settle_tasks = 0;
  begin();
  assign({handed_to(kAnn), TaskLocked{kProject, TaskId{100}, kAnn, {kStartMs + 9'000}}});
  world.settle();
  EXPECT_EQ(seen, "0 10");
  EXPECT_EQ(ask(world.database.url(), "SELECT lock_user_id FROM tasks WHERE id = 100"), "3");
}

TEST_F(Settling, a_large_batch_follows_in_parts) {
  for (const std::int64_t step : {1, 3, 5, 9, 10}) {
    SCOPED_TRACE(step);
    World own;
    own.settle_tasks = 0;
    own.settle_step = step;
    own.append(kProjectShard, {project_created(), tasks_created(100, kTasks)});
    own.append(kProjectShard, batch_of(100, kTasks));
    own.append(kProjectShard, {handed_to(kAnn)});
    own.start();
    own.settle();
    const auto& url = own.database.url();
    EXPECT_EQ(ask(url,
                  "SELECT string_agg(DISTINCT concat_ws(':', assignee_id, status, version), ' ') "
                  "FROM tasks"),
              "3:assigned:3");
    EXPECT_EQ(ask(url, "SELECT pending || ' ' || assigned FROM batches"), "0 20");
    EXPECT_EQ(ask(url, "SELECT sum(tasks) FROM assignee_task_counts WHERE assignee_id = 3"), "20");
    EXPECT_EQ(ask(url, "SELECT count(*) FROM unsettled_batches"), "0");
  }
}

TEST_F(Settling, what_was_left_is_done_after_a_restart) {
  begin();
  world.stop();
  leave_unsettled(0);
  world.start();
  world.settle();
  EXPECT_EQ(seen_now(), "0 10");
}

TEST_F(Settling, of_a_batch_settled_in_part_the_rest_is_done_after_a_restart) {
  begin();
  world.stop();
  leave_unsettled(104);
  world.start();
  world.settle();
  EXPECT_EQ(seen_now(), "0 5");
}

TEST_F(Settling, a_change_of_a_batch_settled_in_part_is_counted_for_each_of_its_tasks) {
  world.settle_tasks = 0;
  begin();
  world.stop();
  leave_unsettled(104);
  assign({handed_to(kBob)});
  world.start();
  world.settle();
  EXPECT_EQ(ask(world.database.url(),
                "SELECT string_agg(DISTINCT concat_ws(':', id > 104, assignee_id, version), ' ') "
                "FROM tasks WHERE batch_id = 600"),
            "f:4:3 t:4:4");
}

TEST_F(Settling, questions_about_a_project_or_a_batch_are_answered) {
  begin();
  world.stop();
  connect_to(world.database.url())
      ->run("INSERT INTO read_live.unsettled_batches VALUES (600, 0, " +
            std::to_string(kProject.value) + ", 3, NULL, true, false, 1, 1)");
  const BatchQueries batches(*world.pool);
  EXPECT_TRUE(batches.is_unsettled(kBatch));
  EXPECT_FALSE(batches.is_unsettled(kOther));
  EXPECT_TRUE(batches.any_unsettled({.all = true, .ids = {}}));
  EXPECT_TRUE(batches.any_unsettled({.all = false, .ids = {kProject}}));
  EXPECT_FALSE(batches.any_unsettled({.all = false, .ids = {ProjectId{kProject.value + 8}}}));
}

TEST_F(Settling, a_deleted_project_leaves_nothing_to_do) {
  world.settle_tasks = 0;
  begin();
  assign({handed_to(kAnn), ProjectDeleted{kProject}});
  world.settle();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM unsettled_batches"), "0");
}

}  // namespace
}  // namespace annolog::projections::testing::settling_test
