// No statement of a request may read a big table from end to end.
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <boost/algorithm/string.hpp>

#include "projections/audit/page_statements.hpp"
#include "projections/exports/statements.hpp"
#include "projections/feed/queries.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/tasks/page_statements.hpp"
#include "projections/webhooks/delivery_store.hpp"
#include "tests/integration/projections/plan.hpp"
#include "tests/integration/projections/population.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::plans_test {
namespace {

constexpr int kEnough = 40'000;  // where the proportions make the plan

// All its tests in one process: to fill the tables takes longer than to look at any plan.
class Plans : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (cluster_url() == nullptr) return;
    world = std::make_unique<World>();
    populate(world->database, kEnough);
    connection = connect_to(world->database.url(), "read_live");
  }
  static void TearDownTestSuite() {
    connection.reset();
    world.reset();
  }

  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    connection->run("BEGIN");
  }
  void TearDown() override {
    if (connection) connection->run("ROLLBACK");
  }

  static inline std::unique_ptr<World> world;
  static inline std::unique_ptr<PgConnection> connection;
};

// Whatever narrows the audit leads to its rows in their order, with nothing to sort.
TEST_F(Plans, ThePageOfTheAuditWalksAnIndexInOrder) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  const std::vector<std::pair<std::string, std::string>> walks{
      {"audit_page", "audit_rows_pkey"},
      {"audit_page_actor", "audit_actor"},
      {"audit_page_action", "audit_rows_pkey"},
      {"audit_page_seldom_action", "audit_seldom_action"},
      {"audit_page_project", "audit_project"},
      {"audit_page_type_target", "audit_target"},
      {"audit_page_seldom_type", "audit_seldom_type"},
      {"audit_page_seldom_status", "audit_seldom_status"},
      {"audit_of_batch", "audit_batches_pkey"}};
  for (const auto& [name, index] : walks) {
    const auto all = audit_statements();
    const auto found = std::ranges::find(all, name, &Statement::name);
    ASSERT_NE(found, all.end()) << name;
    const std::string plan = generic_plan(*connection, *found);
    EXPECT_NE(plan.find("Scan Backward using " + index), std::string::npos) << name << "\n" << plan;
    EXPECT_EQ(plan.find("Sort"), std::string::npos) << name << "\n" << plan;
  }
}

// An actor with many rows and an action with few, and the other way round.
TEST_F(Plans, OfTwoFiltersOfTheAuditTheOneThatFewRowsMeetLeads) {
  const auto plan_for = [](std::int64_t actor, const char* action) {
    const AuditScope scope{.actor_id = UserId{actor}, .action = action};
    const Statement& page = audit_page_statement(AuditPageKind::rows, scope);
    EXPECT_FALSE(page.kept);
    return plan_for_values(*connection, page.sql, audit_page_params(scope, std::nullopt, 51));
  };
  const std::string by_action = plan_for(5001, "a1");
  EXPECT_NE(by_action.find("audit_seldom_action"), std::string::npos) << by_action;
  const std::string by_actor = plan_for(7, "b");
  EXPECT_NE(by_actor.find("audit_actor"), std::string::npos) << by_actor;
}

TEST_F(Plans, WhoMakesAndSendsDeliveriesReadsNoTableFromEndToEnd) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  for (const Statement& statement : delivery_statements()) {
    const std::string plan = generic_plan(*connection, statement);
    EXPECT_EQ(plan.find("Seq Scan on"), std::string::npos) << statement.name << "\n" << plan;
  }
}

// With one project that has nearly all tasks and one that has few: whichever it is, the index of
// the names leads to the rows, never those of projects or ids.
TEST_F(Plans, ASearchForTasksGoesByTheirNames) {
  connection->run("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off");
  std::size_t seen = 0;
  for (const Statement& statement : search_statements()) {
    const std::string_view name = statement.name;
    const std::string plan = generic_plan(*connection, statement);
    EXPECT_EQ(plan.find("Seq Scan on"), std::string::npos) << name << "\n" << plan;
    if (!std::set<std::string_view>{"search_tasks", "search_some_tasks", "search_many_tasks"}
             .contains(name))
      continue;
    ++seen;
    EXPECT_NE(plan.find("Bitmap Index Scan on task_names_text"), std::string::npos) << plan;
    EXPECT_NE(plan.find("Limit"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("task_names_pkey"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("task_names_number"), std::string::npos) << plan;
  }
  EXPECT_EQ(seen, 3U);
}

// What the bitmap of a text in a project is made of: both, not one and a filter.
TEST_F(Plans, ASearchInAProjectAsksTheIndexForBoth) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  for (const Statement& statement : search_statements()) {
    if (std::string_view(statement.name) != "search_some_tasks") continue;
    const std::string plan = generic_plan(*connection, statement);
    EXPECT_NE(plan.find("Index Cond: ((project_id = v.id) AND (file_name ~~*"), std::string::npos)
        << plan;
  }
}

// From any place on, whatever the project has before and behind it: nothing is sorted.
TEST_F(Plans, TheFeedMergesTwoWalks) {
  connection->run("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off");
  connection->run(kFeedPlanSettings);
  std::size_t seen = 0;
  for (const Statement& statement : request_statements()) {
    const std::string_view name = statement.name;
    if (!name.starts_with("feed_") || name == "feed_reached") continue;
    ++seen;
    const std::string plan = generic_plan(*connection, statement);
    EXPECT_NE(plan.find(" using task_events_feed"), std::string::npos) << plan;
    EXPECT_NE(plan.find(" using project_events_pkey"), std::string::npos) << plan;
    if (name != "feed_news") EXPECT_NE(plan.find("Merge Append"), std::string::npos) << plan;
    for (const char* whole : {"Sort  (", "Bitmap", "Seq Scan", "Gather"}) {
      EXPECT_EQ(plan.find(whole), std::string::npos) << whole << " in " << name << "\n" << plan;
    }
  }
  EXPECT_EQ(seen, 3U);
}

using Names = std::set<std::string_view>;

// Of requests' statements with these names: parts that each plan has, and parts that none has.
void expect_plans(PgConnection& connection, const Names& names,
                  std::initializer_list<const char*> parts,
                  std::initializer_list<const char*> none_of) {
  connection.run("SET plan_cache_mode = force_generic_plan");
  std::size_t seen = 0;
  for (const Statement& statement : request_statements()) {
    if (!names.contains(statement.name)) continue;
    ++seen;
    const std::string plan = generic_plan(connection, statement);
    for (const char* part : parts) EXPECT_NE(plan.find(part), std::string::npos) << plan;
    for (const char* part : none_of) {
      EXPECT_EQ(plan.find(part), std::string::npos) << part << " in " << plan;
    }
  }
  EXPECT_EQ(seen, names.size());
}

// Task by task along the index, and never all that has the class (1024 among the flags).
TEST_F(Plans, AClassInOrderOfIdsIsWalked) {
  expect_plans(
      *connection,
      {"tasks_page_0_0_1024", "tasks_page_1_0_1024", "tasks_keys_0_0_1024", "tasks_keys_1_0_1024",
       "tasks_offset_0_0_1024", "tasks_offset_1_0_1024", "tasks_total_0_0_1024"},
      {"Recursive Union", " using annotations_class"},
      {"HashAggregate", "Unique", "Bitmap", "Seq Scan"});
}

// However many tasks of other statuses lie before the page: a walk for each status.
TEST_F(Plans, SeveralStatusesInOrderOfIdsAreWalkedEach) {
  expect_plans(
      *connection,
      {"tasks_page_0_2_0", "tasks_page_1_2_0", "tasks_keys_0_2_0", "tasks_keys_1_2_0",
       "tasks_offset_0_2_0", "tasks_offset_1_2_0", "tasks_across_0_2_0", "tasks_across_1_2_0"},
      {"AND (status = s.status)", " using tasks_status"}, {"tasks_page", "Bitmap", "Seq Scan"});
}

// By ids: a few that changed last are looked up, of all that ever changed the next are walked.
TEST_F(Plans, WhatChangedSinceIsLookedForByHowMuchThatIs) {
  connection->run("UPDATE tasks SET updated_at_ms = id");
  connection->run("ANALYZE tasks");
  const auto last =
      connection->execute({"last_task", "SELECT max(id) FROM tasks"}).row(0).integer();
  TaskFilter by_id;
  by_id.updated_since = Timestamp{1};
  const Statement& page = task_page_statement(TaskPageKind::by_cursor, by_id);
  EXPECT_FALSE(page.kept);
  const auto plan_for = [&](const std::string& since) {
    std::string sql = page.sql;
    for (const auto& [parameter, value] : {std::pair<std::string, std::string>{"$1", "2001"},
                                           {"$2", "100"},
                                           {"$3", "0"},
                                           {"$4", since}})
      boost::replace_all(sql, parameter, value);
    return plan_for_values(*connection, sql);
  };
  const std::string few = plan_for(std::to_string(last - 20));
  EXPECT_NE(few.find("tasks_updated"), std::string::npos) << few;
  const std::string all = plan_for("1");
  EXPECT_NE(all.find("tasks_page"), std::string::npos) << all;
}

}  // namespace

// A plan that reads on from the first row and sorts no more than a task's annotations.
void expect_walk(const std::string& sql, const std::string& plan, bool with_annotations) {
  const std::string sorted = with_annotations ? "Sort Key: t.id" : "Sort";
  for (const std::string& whole : {std::string("Seq Scan"), std::string("Bitmap"),
                                   std::string("Gather"), std::string("Hash"), sorted}) {
    EXPECT_EQ(plan.find(whole), std::string::npos) << whole << " in\n" << sql << "\n" << plan;
  }
  EXPECT_NE(plan.find(" using tasks_"), std::string::npos) << sql << "\n" << plan;
}

TEST_F(Plans, AnExportWalksAnIndexInTheOrderOfItsTasks) {
  connection->run("UPDATE tasks SET batch_id = id % 100 WHERE id % 4 = 0; ANALYZE tasks");
  connection->run(kExportPlanSettings);
  const std::vector<TaskStatus> one{TaskStatus::submitted};
  const std::vector<TaskStatus> some{TaskStatus::submitted, TaskStatus::rejected};
  std::vector<ExportScope> scopes;
  for (const auto& statuses : {std::vector<TaskStatus>{}, one, some}) {
    for (const auto batch : {std::optional<BatchId>(), std::optional(BatchId{4})}) {
      scopes.push_back({ProjectId{2001}, batch, statuses, {}});
      scopes.push_back({ProjectId{2001}, batch, statuses, {ClassId{1}, ClassId{3}}});
    }
  }
  for (const ExportScope& scope : scopes) {
    for (const bool with_annotations : {false, true}) {
      const std::string sql = export_statement(scope, with_annotations);
      const std::string plan = plan_for_values(*connection, sql);
      expect_walk(sql, plan, with_annotations);
      if (scope.batch_id && scope.statuses.empty()) {
        EXPECT_NE(plan.find("tasks_batch"), std::string::npos) << sql << "\n" << plan;
      }
    }
  }
}

}  // namespace annolog::projections::testing::plans_test
