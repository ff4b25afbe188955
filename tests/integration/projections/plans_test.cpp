// No statement of a request may read a big table from end to end.
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <boost/algorithm/string.hpp>

#include "projections/exports/statements.hpp"
#include "projections/feed/queries.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/webhooks/delivery_store.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::plans_test {
namespace {

// Two projects that have three quarters of the :tasks, 2,000 small ones, three boxes a task, and
// people to match.
constexpr const char kPopulate[] = R"sql(
INSERT INTO groups SELECT i, 'g' || i, '', 50, 1, i, i FROM generate_series(1, 5000) i;
INSERT INTO api_keys SELECT i, i % 5000, 'k', 'p' || i, 'd' || i, i, NULL, NULL, NULL
  FROM generate_series(1, 20000) i;
INSERT INTO invitations SELECT i, 'e' || i, 'k' || i, 'viewer', NULL, 't' || i, i % 500, i, i,
  NULL, NULL FROM generate_series(1, 20000) i;
INSERT INTO users SELECT i, CASE WHEN i % 50 = 0 THEN 'reviewer' ELSE 'annotator' END, 'k',
  'u' || i, 'u' || i, 'n' || i, NULL, 'h', true, false, i % 5000, '{}', 0, 1, NULL, i
  FROM generate_series(1, 5000) i;
INSERT INTO account_events SELECT i % 5000, i, i, 1, 'a', 'user', i % 5000, '{}'
  FROM generate_series(1, 20000) i;
INSERT INTO notifications SELECT i % 500, i % 4, i * 4096 + i % 4, (ARRAY['task.assigned',
  'task.approved', 'task.rejected', 'comment.mention'])[1 + i % 4], i, 1, i, NULL, 7, NULL, NULL, i,
  i % 3 > 0, CASE WHEN i % 3 = 0 THEN i END FROM generate_series(1, 40000) i;
INSERT INTO notification_counts SELECT i, 'task.assigned', 1 FROM generate_series(1, 5000) i;
INSERT INTO muted_notifications SELECT i, 'task.approved' FROM generate_series(1, 5000) i;
INSERT INTO projects SELECT i, 'p' || i, '', 'image_det', 'in_progress', '{"attributes":[]}', false,
  false, '', '{}', i % 500, 3, 1, i, i FROM generate_series(1, 2002) i;
INSERT INTO project_classes SELECT p, c, 'c' || c, '#fff', '[]', c, false
  FROM generate_series(1, 2002) p, generate_series(1, 5) c;
INSERT INTO members SELECT p, (p * 7 + m * 31) % 5000, 'annotator', p
  FROM generate_series(1, 2002) p, generate_series(1, 5) m ON CONFLICT DO NOTHING;
INSERT INTO guide_assets SELECT p, p * 10 + a, 'f', 'image/png', 1, 'ready', a
  FROM generate_series(1, 2002) p, generate_series(1, 5) a;
INSERT INTO datasets SELECT i, 'd' || i, '', 'image', 1, 1, 1, i % 500, 1, i, i
  FROM generate_series(1, 5000) i;
INSERT INTO dataset_links SELECT i, i, i FROM generate_series(1, 2002) i;
INSERT INTO dataset_task_counts SELECT i, i, 1 FROM generate_series(1, 2002) i;
INSERT INTO task_counts SELECT i, 'pending', 1 FROM generate_series(1, 2002) i;
INSERT INTO items SELECT i, 1 + i % 2000, CASE WHEN i % 20 = 0 THEN 'pending' ELSE 'ready' END, 'f',
  'f', 'image/png', 1, md5(i::text), CASE WHEN i % 97 > 0 THEN 1 END, 1, '{}', i, i, true,
  CASE WHEN i % 101 > 0 THEN 't' END, NULL FROM generate_series(1, :tasks) i;
INSERT INTO tasks SELECT i, CASE WHEN i <= :tasks * 3 / 4 THEN 2001 + i % 2 ELSE i % 2000 END, i,
  i % 2000, i, NULL, 'f', 'f', 1, 1,
  (ARRAY['pending', 'in_progress', 'submitted', 'review', 'rejected', 'completed'])[1 + i % 6],
  CASE WHEN i % 6 > 0 THEN i % 300 END, CASE WHEN i % 6 > 3 THEN i % 100 END,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, 1, i, i FROM generate_series(1, :tasks) i;
INSERT INTO batches SELECT i, CASE WHEN i <= 5000 THEN 2001 ELSE i % 2000 END, i, 'b', 'active',
  i % 300, i % 100, NULL, NULL, NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, i, i
  FROM generate_series(1, 20000) i;
INSERT INTO unclassified_counts SELECT i, 1 FROM generate_series(1, 2002) i;
INSERT INTO annotations SELECT i, 1 + i % :tasks,
  CASE WHEN i % :tasks < :tasks * 3 / 4 THEN 2001 + (1 + i % :tasks) % 2
    ELSE (1 + i % :tasks) % 2000 END,
  'bbox', 1 + i % 5, '{}', '{}', 'manual', NULL,
  NULL, NULL, 1, 1, 1, i, i, CASE WHEN i % 50 = 0 THEN i END FROM generate_series(1, :tasks * 3) i;
INSERT INTO comments SELECT i, 1 + i % 20000, 1, CASE WHEN i % 2 = 0 THEN 1 + i % 120000 END,
  1 + i % 5000, 'b', '[]', i, CASE WHEN i % 50 = 0 THEN i END FROM generate_series(1, 40000) i;
INSERT INTO class_namings SELECT 2001 + i % 2, i % 1000, i, i, 'c' FROM generate_series(1, 20000) i;
INSERT INTO task_births SELECT 2001 + i % 2, i * 10, i, i, 7 FROM generate_series(1, 20000) i;
INSERT INTO task_events SELECT project_id, id, id * 10 + n, CASE WHEN n = 1 THEN 1 + id % 20000 END,
  id, 7, 'task.taken', 1, '{}' FROM tasks, generate_series(1, 3) n;
INSERT INTO batch_events SELECT project_id, id, id * 10 + n, id, 7, 'batch.assigned', 1, '', NULL,
  CASE WHEN n = 1 THEN number END, '{}' FROM batches, generate_series(1, 3) n;
INSERT INTO project_events SELECT 2001 + i % 2, i, CASE WHEN i % 5 = 0 THEN i END, i, 7,
  'comment.added', 1, '{}' FROM generate_series(1, 40000) i;
INSERT INTO unsettled_batches SELECT i, i % 4, i % 2002, NULL, NULL, true, false, 1, i
  FROM generate_series(1, 20000) i;
INSERT INTO async_jobs SELECT i, 'audit_archive', NULL, i % 500,
  CASE WHEN i % 500 = 0 THEN 'pending' ELSE 'completed' END, 0, '{}', 'null', NULL, 0, '', NULL,
  NULL, NULL, i, i FROM generate_series(1, 20000) i;
INSERT INTO annolog.signed_checkpoints SELECT i, i, '{}', 'k', 's'
  FROM generate_series(1, 20000) i;
INSERT INTO task_names SELECT id, project_id, number, 'f' || id FROM tasks;
INSERT INTO assignee_task_counts SELECT i % 5000, i % 2002, 'in_progress', 1
  FROM generate_series(1, 20000) i ON CONFLICT DO NOTHING;
INSERT INTO annotation_counts SELECT i, 1, 1 FROM generate_series(1, 2002) i;
INSERT INTO work_counts SELECT i % 5000, i % 365, i % 2002, 'submitted', 1
  FROM generate_series(1, 40000) i ON CONFLICT DO NOTHING;
INSERT INTO audit_rows SELECT i, i * 4096, CASE WHEN i % 10 > 0 THEN i % 5000 END, 'a' || i % 90,
  CASE WHEN i % 60 = 0 THEN 'project' ELSE 'task' END, i % 30000, i % 2002,
  CASE WHEN i % 500 = 0 THEN 400 + i % 7 ELSE 200 END, 1, '{}'
  FROM generate_series(1, 200000) i;
INSERT INTO audit_batches SELECT i % 20000, i, i * 4096 FROM generate_series(1, 40000) i;
INSERT INTO webhooks SELECT i, CASE WHEN i % 100 > 0 THEN i % 2002 END, i, i, 'n', 'u', '["*"]',
  true, 'n', NULL, NULL, 1, 1, i, i, NULL, NULL FROM generate_series(1, 20000) i;
INSERT INTO annolog.webhook_health SELECT i, i, 'delivered', NULL
  FROM generate_series(1, 20000) i;
INSERT INTO annolog.webhook_positions SELECT i, 'l', i FROM generate_series(0, 1023) i;
INSERT INTO annolog.webhook_deliveries (webhook_id, shard, position, part, project_id, event, lane,
  body, status, next_at_ms, created_at_ms, done_at_ms)
  SELECT i % 500, i % 64, i, 0, 1 + i % 2000, 'e' || i % 20, 'task/' || i % 5000, '{}',
  CASE WHEN i % 20 = 0 THEN 'waiting' ELSE 'delivered' END, CASE WHEN i % 40 = 0 THEN i END, i,
  CASE WHEN i % 20 > 0 THEN i END FROM generate_series(1, 100000) i;
INSERT INTO annolog.webhook_attempts SELECT id, 1, 1, 1, 200, NULL, ''
  FROM annolog.webhook_deliveries
)sql";

constexpr int kBigInstallation = 1'000'000;
constexpr int kEnough = 40'000;  // where the proportions make the plan

// What drops, and what makes again, the indexes that no constraint needs: of rows that are there
// they are made in a fraction of the time.
std::vector<std::pair<std::string, std::string>> indexes_of(PgConnection& connection) {
  const Rows rows = connection.execute(
      {"indexes",
       "SELECT 'DROP INDEX ' || indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index i "
       "JOIN pg_class c ON c.oid = i.indexrelid "
       "WHERE c.relnamespace IN ('read_live'::regnamespace, 'annolog'::regnamespace) "
       "AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)"});
  std::vector<std::pair<std::string, std::string>> indexes;
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    std::string drop = row.text();
    indexes.emplace_back(std::move(drop), row.text());
  }
  return indexes;
}

void populate(const Database& database, int tasks) {
  // How long it takes is not what is tested.
  const auto filling = connect_to(database.url(), "read_live", 1'200'000);
  PgConnection& connection = *filling;
  connection.run("SET maintenance_work_mem = '512MB'");
  const auto indexes = indexes_of(connection);
  for (const auto& [drop, make] : indexes) connection.run(drop);
  const auto sql = boost::replace_all_copy(std::string(kPopulate), ":tasks", std::to_string(tasks));
  std::vector<std::string> statements;
  boost::iter_split(statements, sql, boost::first_finder(";\n"));
  for (const auto& statement : statements) connection.run(statement);
  for (const auto& [drop, make] : indexes) connection.run(make);
  connection.run("ANALYZE");
}

int parameter_count(const std::string& sql) {
  int count = 0;
  for (int n = 1; n < 20; ++n) {
    if (sql.find("$" + std::to_string(n) + "::") != std::string::npos) count = n;
  }
  return count;
}

// The plan for parameters that are not known: the one that must serve them all.
std::string generic_plan(PgConnection& connection, const Statement& statement,
                         const std::string& how = "EXPLAIN") {
  connection.run(std::string("PREPARE explained AS ") + statement.sql);
  std::string explain = how + " EXECUTE explained";
  const int count = parameter_count(statement.sql);
  for (int i = 0; i < count; ++i) explain += i == 0 ? "(NULL" : ", NULL";
  if (count > 0) explain += ")";
  const std::string name = std::string("explain_") + statement.name;
  const Rows rows = connection.execute({name.c_str(), explain.c_str()});
  std::string plan;
  for (int i = 0; i < rows.size(); ++i) plan += rows.row(i).text() + "\n";
  connection.run("DEALLOCATE explained");
  return plan;
}

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

TEST(PlansOfABigInstallation, NoStatementOfARequestReadsOrCountsABigTableFromEndToEnd) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  populate(world.database, kBigInstallation);
  const auto connection = connect_to(world.database.url(), "read_live");
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

// Whatever narrows the audit leads to its rows in their order, with nothing to sort.
TEST_F(Plans, ThePageOfTheAuditWalksAnIndexInOrder) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  const std::vector<std::pair<std::string, std::string>> walks{
      {"audit_page", "audit_rows_pkey"},
      {"audit_page_actor", "audit_actor"},
      {"audit_page_action", "audit_action"},
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

// Task by task along the index, and never all that has the class (1024 among the flags).
TEST_F(Plans, AClassInOrderOfIdsIsWalked) {
  connection->run("SET plan_cache_mode = force_generic_plan");
  const std::set<std::string_view> walks{"tasks_page_0_0_1024",   "tasks_page_1_0_1024",
                                         "tasks_keys_0_0_1024",   "tasks_keys_1_0_1024",
                                         "tasks_offset_0_0_1024", "tasks_offset_1_0_1024",
                                         "tasks_total_0_0_1024"};
  std::size_t seen = 0;
  for (const Statement& statement : request_statements()) {
    if (!walks.contains(statement.name)) continue;
    ++seen;
    const std::string plan = generic_plan(*connection, statement);
    EXPECT_NE(plan.find("Recursive Union"), std::string::npos) << plan;
    EXPECT_NE(plan.find(" using annotations_class"), std::string::npos) << plan;
    for (const char* whole : {"HashAggregate", "Unique", "Bitmap", "Seq Scan"}) {
      EXPECT_EQ(plan.find(whole), std::string::npos) << whole << " in " << plan;
    }
  }
  EXPECT_EQ(seen, walks.size());
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
  int count = 0;
  for (const ExportScope& scope : scopes) {
    for (const bool with_annotations : {false, true}) {
      const std::string sql = export_statement(scope, with_annotations);
      const std::string name = "explain_export_" + std::to_string(++count);
      const std::string explain = "EXPLAIN " + sql;
      const Rows rows = connection->execute({name.c_str(), explain.c_str()});
      std::string plan;
      for (int i = 0; i < rows.size(); ++i) plan += rows.row(i).text() + "\n";
      expect_walk(sql, plan, with_annotations);
      if (scope.batch_id && scope.statuses.empty()) {
        EXPECT_NE(plan.find("tasks_batch"), std::string::npos) << sql << "\n" << plan;
      }
    }
  }
}

}  // namespace annolog::projections::testing::plans_test
