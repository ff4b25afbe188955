// No request may read or count a big table from end to end, with as many tasks as quality.md speaks
// of.
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <boost/algorithm/string.hpp>

#include "projections/exports/statements.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/plan.hpp"
#include "tests/integration/projections/population.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::big_installation_test {
namespace {

constexpr int kTasks = 1'000'000;

std::vector<std::string> lines_of(const std::string& plan) {
  std::vector<std::string> lines;
  boost::split(lines, plan, boost::is_any_of("\n"));
  return lines;
}

// Whether a node of the plan counts rows of which no node below it says how many there may be.
bool counts_without_limit(const std::string& plan) {
  const auto lines = lines_of(plan);
  const auto depth = [](const std::string& line) { return line.find_first_not_of(' '); };
  for (std::size_t node = 0; node + 1 < lines.size(); ++node) {
    const bool counts = lines[node].find("Aggregate  (") != std::string::npos &&
                        lines[node + 1].find("count(") != std::string::npos;
    if (!counts) continue;
    bool is_limited = false;
    for (std::size_t below = node + 1;
         below < lines.size() && !lines[below].empty() && depth(lines[below]) > depth(lines[node]);
         ++below) {
      is_limited = is_limited || lines[below].find("Limit  (") != std::string::npos ||
                   lines[below].find("CTE Scan on") != std::string::npos;
    }
    if (!is_limited) return true;
  }
  return false;
}

// All its tests in one process: to fill the tables takes longer than to look at any plan.
class BigInstallation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (cluster_url() == nullptr) return;
    world = std::make_unique<World>();
    populate(world->database, kTasks);
    connection = connect_to(world->database.url(), "read_live");
  }
  static void TearDownTestSuite() {
    connection.reset();
    world.reset();
  }
  void SetUp() override { ANNOLOG_NEEDS_POSTGRESQL(); }

  // So many scans of the tables of tasks, by what PostgreSQL counts (`which` column).
  static std::int64_t scans(const std::string& which) {
    return std::stoll(
        ask(world->database.url(), "SELECT sum(" + which +
                                       ") FROM pg_stat_user_tables WHERE schemaname = 'read_live' "
                                       "AND relname IN ('tasks', 'task_names', 'annotations')"));
  }

  static inline std::unique_ptr<World> world;
  static inline std::unique_ptr<PgConnection> connection;
};

TEST_F(BigInstallation, NoStatementOfARequestReadsOrCountsABigTableFromEndToEnd) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  // Whole by their nature: GET /users and GET /groups are plain arrays, checkpoints a row a shard,
  // of keys there is a handful.
  const std::set<std::string> whole_lists{"users_list", "groups_list", "checkpoints_reached",
                                          "checkpoint_keys_all"};
  // What one person has not read yet, or what is past its time of it.
  const std::set<std::string> counts_of_one_person{"notifications_unread",
                                                   "notifications_unread_count"};
  std::size_t seen = 0;
  std::set<std::string> counting;
  for (const Statement& statement : request_statements()) {
    ++seen;
    if (whole_lists.contains(statement.name)) continue;
    const std::string plan = generic_plan(*connection, statement, "EXPLAIN (VERBOSE)");
    EXPECT_EQ(plan.find("Seq Scan on"), std::string::npos) << statement.name << "\n" << plan;
    if (counts_without_limit(plan)) counting.insert(statement.name);
  }
  EXPECT_EQ(counting, counts_of_one_person);
  EXPECT_GT(seen, 30U);
}

// With what people ask for: of many lists the plan is made for it each time.
std::vector<TaskFilter> usual_filters() {
  const TaskFilter all{.project_id = ProjectId{2001}};
  std::vector<TaskFilter> narrowed(13, all);
  narrowed[1].assignee_id = UserId{31};
  narrowed[2].reviewer_id = UserId{35};
  narrowed[3].dataset_id = DatasetId{77};
  narrowed[4].updated_since = Timestamp{700'000};
  narrowed[5].updated_before = Timestamp{1'000};
  narrowed[6].batch_id = BatchId{5};
  narrowed[7].without_batch = true;
  narrowed[8].skipped = true;
  narrowed[9].skipped = false;
  narrowed[10].text = "f12345";
  narrowed[11].classes = {ClassId{2}};
  narrowed[12].classes = {ClassId{2}, ClassId{4}};
  std::vector<TaskFilter> filters;
  for (TaskFilter filter : narrowed) {
    for (const auto& statuses :
         {std::vector<TaskStatus>{},
          {TaskStatus::rejected},
          {TaskStatus::submitted, TaskStatus::review, TaskStatus::rejected}}) {
      filter.statuses = statuses;
      for (const auto order :
           {TaskOrder::id, TaskOrder::id_down, TaskOrder::updated, TaskOrder::updated_down}) {
        filter.order = order;
        filters.push_back(filter);
      }
    }
  }
  return filters;
}

TEST_F(BigInstallation, NoListOfTasksReadsATableFromEndToEnd) {
  const std::int64_t whole_before = scans("seq_scan");
  const std::int64_t by_index_before = scans("idx_scan");
  std::int64_t asked = 0;
  {
    ReadPool pool({.database_url = world->database.url(), .connections = 1});
    const TaskQueries tasks(pool);
    const Timestamp now{kStartMs};
    const std::array across{ProjectId{7}, ProjectId{2001}, ProjectId{2002}};
    for (const TaskFilter& filter : usual_filters()) {
      tasks.list(filter, {}, 100, now);
      tasks.list(filter, TimeCursor{Timestamp{300'000}, 300'000}, 100, now);
      tasks.list_by_offset(filter, 100, 200, now);
      asked += 3;
      if (filter.looks_beside()) continue;
      tasks.list_across(across, filter, {}, 100, now);
      ++asked;
    }
  }
  // PostgreSQL counts for all to see when the connection has ended.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (scans("idx_scan") < by_index_before + asked) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << asked << " lists";
    std::this_thread::yield();
  }
  EXPECT_EQ(scans("seq_scan"), whole_before);
}

TEST_F(BigInstallation, NoExportReadsATableFromEndToEnd) {
  connection->run(kExportPlanSettings);
  const std::vector<TaskStatus> one{TaskStatus::submitted};
  for (const auto& statuses : {std::vector<TaskStatus>{}, one}) {
    for (const auto batch : {std::optional<BatchId>(), std::optional(BatchId{4})}) {
      for (const bool with_annotations : {false, true}) {
        const std::string sql =
            export_statement({ProjectId{2001}, batch, statuses, {}}, with_annotations);
        const std::string plan = plan_for_values(*connection, sql);
        EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << sql << "\n" << plan;
      }
    }
  }
}

}  // namespace
}  // namespace annolog::projections::testing::big_installation_test
