#include "tests/integration/projections/population.hpp"

#include <string>
#include <utility>
#include <vector>

#include <boost/algorithm/string.hpp>

#include "projections/pg/connection.hpp"

namespace annolog::projections::testing {
namespace {

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
INSERT INTO audit_rows SELECT i, i * 4096 + 1, 5001, 'b', 'task', 30001 + i, 1, 200, 1, '{}'
  FROM generate_series(1, 20000) i;
INSERT INTO audit_seconds SELECT i % 64, i / 64 FROM generate_series(0, 199999) i;
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

}  // namespace

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

}  // namespace annolog::projections::testing
