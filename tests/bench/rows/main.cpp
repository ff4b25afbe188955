// bench_rows: the rows of submitted tasks written straight to PostgreSQL, without a service: ten
// annotations, one changed task, the two events of its history and the row of the audit each, 500
// annotations a statement by unnest, one connection, one synced commit a batch. Prints tasks a
// second as JSON.
#include <libpq-fe.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

constexpr int kBoxes = 10;  // of a task
constexpr int kTasks = 50;  // of a batch
constexpr int kRows = kBoxes * kTasks;

// All of a statement is one transaction. What a history holds is the event as the log has it: the
// added shapes ($6, one text a task), and that the task was submitted. $8: the audit's data.
constexpr const char* kHistory = R"sql(
WITH past AS (
  INSERT INTO task_events (project_id, task_id, log_offset, batch_id, at_ms, actor_id, type,
    schema_version, data)
  SELECT 1, id, $7::bigint + 2 * u.n + e.n, NULL, $5::bigint, 1, e.type, 1,
    CASE e.n WHEN 0 THEN data ELSE format('{"project_id":1,"task_id":%s,"user_id":1}', id) END
  FROM unnest($4::bigint[], $6::text[]) WITH ORDINALITY AS u(id, data, n),
    (VALUES (0, 'task.annotations_added'), (1, 'task.submitted')) AS e(n, type)),
audited AS (
  INSERT INTO audit_rows (at_ms, id, actor_id, action, target_type, target_id, project_id, status,
    schema_version, data)
  SELECT $5::bigint, ($7::bigint + u.n) * 4096 + 1, 1, 'annotation.create', 'task', id, 1, 201, 1,
    data
  FROM unnest($4::bigint[], $8::text[]) WITH ORDINALITY AS u(id, data, n)),
)sql";
constexpr const char* kNoHistory = R"sql(
WITH untold AS (SELECT $6::text[], $7::bigint, $8::text[]),
)sql";
constexpr const char* kWrite = R"sql(
added AS (
  INSERT INTO annotations (id, task_id, project_id, kind, class_id, geometry, attributes, source,
    parent_prediction_id, confidence, group_id, version, created_by, updated_by, created_at_ms,
    updated_at_ms, deleted_at_ms)
  SELECT id, task_id, 1, 'bbox', 1, geometry, '{}', 'manual', NULL, NULL, NULL, 1, 1, 1, now_ms,
    now_ms, NULL
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS u(id, task_id, geometry),
    (SELECT $5::bigint) AS t(now_ms))
UPDATE tasks t SET status = 'submitted', submitted_at_ms = $5::bigint, updated_at_ms = $5::bigint,
  annotation_count = 10, version = t.version + 1, lock_user_id = NULL, lock_expires_at_ms = NULL
FROM unnest($4::bigint[]) AS u(id) WHERE t.id = u.id
)sql";

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Finish>;

void check(const Connection& connection, const Answer& answer) {
  const auto status = PQresultStatus(answer.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(PQerrorMessage(connection.get()));
  }
}

std::string numbers(std::int64_t first, std::int64_t count, std::int64_t each) {
  std::string text = "{";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += std::to_string(first + i / each);
  }
  return text + "}";
}

std::string geometry(int i) {
  return R"({"height":0.2)" + std::to_string(1000 + i * 7) + R"(,"width":0.1)" +
         std::to_string(2000 + i) + R"(,"x":0.3)" + std::to_string(3000 + i * 3) + R"(,"y":0.4)" +
         std::to_string(4000 + i) + "}";
}

// An array of texts, as PostgreSQL reads it.
class Texts {
 public:
  void add(const std::string& text) {
    array_ += array_.empty() ? "{\"" : ",\"";
    for (const char c : text) {
      if (c == '"') array_ += '\\';
      array_ += c;
    }
    array_ += '"';
  }
  std::string array() const { return array_ + "}"; }

 private:
  std::string array_;
};

std::string geometries() {
  Texts texts;
  for (int i = 0; i < kRows; ++i) texts.add(geometry(i));
  return texts.array();
}

// The event that adds ten boxes, of every task.
std::string additions(std::int64_t first_task, std::int64_t first_annotation) {
  Texts texts;
  for (int task = 0; task < kTasks; ++task) {
    std::string data =
        R"({"project_id":1,"task_id":)" + std::to_string(first_task + task) + R"(,"annotations":[)";
    for (int box = task * kBoxes; box < (task + 1) * kBoxes; ++box) {
      if (data.back() != '[') data += ',';
      data += R"({"annotation_id":)" + std::to_string(first_annotation + box) +
              R"(,"class_id":1,"class_name":"car","geometry":)" + geometry(box) +
              R"(,"attributes":{},"source":"manual"})";
    }
    texts.add(data + "]}");
  }
  return texts.array();
}

// What the audit has of the call that did so, of every task.
std::string requests(std::int64_t first_task) {
  const std::string digest(64, 'c');
  const std::string sealed(150, 's');
  Texts texts;
  for (int task = 0; task < kTasks; ++task) {
    const std::string id = std::to_string(first_task + task);
    texts.add(R"({"number":)" + id + R"(,"previous":")" + digest +
              R"(","at":"2026-01-31T08:00:00.000Z","actor_id":1,"actor_role":"annotator",)"
              R"("request_id":"0198a6b0-0000-7000-8000-000000000000",)"
              R"("action":"annotation.create","method":"POST","path":"/api/v1/tasks/)" +
              id + R"(/annotations","status":201,"proof":"token","target_type":"task",)" +
              R"("target_id":)" + id + R"(,"project_id":1,"origin":{"sealed":{"key_id":)" +
              R"("0198a6b0000070008000000000000000","base64":")" + sealed +
              R"("}},"detail":{"display_id":"T-)" + id + R"("}})");
  }
  return texts.array();
}

// Tasks written in that time; their ids are 1 .. `tasks`, used round and round.
nlohmann::json write(const Connection& connection, std::int64_t tasks, std::int64_t first_id,
                     double seconds) {
  const std::string shapes = geometries();
  const auto start = std::chrono::steady_clock::now();
  std::int64_t batches = 0;
  double took = 0;
  for (; took < seconds; ++batches) {
    const std::int64_t task = 1 + batches * kTasks % (tasks - kTasks + 1) / kTasks * kTasks;
    const std::string ids = numbers(first_id + batches * kRows, kRows, 1);
    const std::string of_tasks = numbers(task, kRows, kBoxes);
    const std::string changed = numbers(task, kTasks, 1);
    const std::string now_ms = std::to_string(1'700'000'000'000 + batches);
    const std::string events = additions(task, first_id + batches * kRows);
    const std::string offset = std::to_string(2 * (first_id + batches * kRows));
    const std::string audited = requests(task);
    const std::array<const char*, 8> values{ids.c_str(),     of_tasks.c_str(), shapes.c_str(),
                                            changed.c_str(), now_ms.c_str(),   events.c_str(),
                                            offset.c_str(),  audited.c_str()};
    check(connection, Answer(PQexecPrepared(connection.get(), "write", values.size(), values.data(),
                                            nullptr, nullptr, 0)));
    took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return {{"tasks_per_s", static_cast<double>(batches * kTasks) / took}, {"rows", batches * kRows}};
}

}  // namespace

int main(int argc, char** argv) {
  std::string database, schema;
  std::int64_t tasks = 100'000;
  std::int64_t first_id = 1;
  double seconds = 5;
  bool no_history = false;
  CLI::App app("Raw PostgreSQL writes for deploy/bench");
  app.add_option("--database", database, "libpq connection string")->required();
  app.add_option("--schema", schema, "Where the tables are")->required();
  app.add_option("--tasks", tasks, "Rows that the table tasks has")->check(CLI::Range(50, 1 << 30));
  app.add_option("--first-id", first_id, "Of the annotations");
  app.add_option("--seconds", seconds);
  app.add_flag("--no-history", no_history, "Annotations and tasks only");
  CLI11_PARSE(app, argc, argv);
  try {
    const Connection connection(PQconnectdb(database.c_str()));
    if (PQstatus(connection.get()) != CONNECTION_OK) {
      throw std::runtime_error(PQerrorMessage(connection.get()));
    }
    const std::string path = "SET search_path = " + schema;
    check(connection, Answer(PQexec(connection.get(), path.c_str())));
    const std::string statement = std::string(no_history ? kNoHistory : kHistory) + kWrite;
    check(connection, Answer(PQprepare(connection.get(), "write", statement.c_str(), 8, nullptr)));
    std::puts(write(connection, tasks, first_id, seconds).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_rows: %s\n", error.what());
    return 1;
  }
  return 0;
}
