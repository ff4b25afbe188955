#include "projections/history/projection.hpp"

#include <algorithm>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>

#include "domain/codec/events.hpp"
#include "projections/history/of_a_task.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr InsertInto kInsertTasks{{"task_events_insert", R"sql(
INSERT INTO task_events (project_id, task_id, log_offset, batch_id, at_ms, actor_id, type,
  schema_version, data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::bigint[], $7::text[], $8::bigint[], $9::text[])
)sql"},
                                  R"sql(
COPY task_events (project_id, task_id, log_offset, batch_id, at_ms, actor_id, type, schema_version,
  data) FROM STDIN (FORMAT binary)
)sql"};

constexpr InsertInto kInsertBatches{{"batch_events_insert", R"sql(
INSERT INTO batch_events (project_id, batch_id, log_offset, at_ms, actor_id, type, schema_version,
  request_id, tasks, number, data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::text[], $7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::text[])
)sql"},
                                    R"sql(
COPY batch_events (project_id, batch_id, log_offset, at_ms, actor_id, type, schema_version,
  request_id, tasks, number, data) FROM STDIN (FORMAT binary)
)sql"};

constexpr InsertInto kInsertBirths{{"task_births_insert", R"sql(
INSERT INTO task_births (project_id, first_task_id, log_offset, at_ms, actor_id)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
)sql"},
                                   R"sql(
COPY task_births (project_id, first_task_id, log_offset, at_ms, actor_id)
  FROM STDIN (FORMAT binary)
)sql"};

// A list of classes is told whole: what it calls as before has no row more.
constexpr Statement kInsertNamings{"class_namings_insert", R"sql(
INSERT INTO class_namings (project_id, class_id, log_offset, at_ms, name)
SELECT n.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
  AS n(project_id, class_id, log_offset, at_ms, name)
WHERE n.name IS DISTINCT FROM (
  SELECT c.name FROM class_namings c WHERE c.project_id = n.project_id AND c.class_id = n.class_id
  ORDER BY c.log_offset DESC LIMIT 1)
)sql"};

// Their births stay: others may have come by the same record.
constexpr Statement kRemove{"task_events_remove", R"sql(
DELETE FROM task_events WHERE project_id = $1::bigint AND task_id = ANY($2::bigint[])
)sql"};
constexpr Statement kDeleteTasks{"task_events_delete",
                                 "DELETE FROM task_events WHERE project_id = $1::bigint"};
constexpr Statement kDeleteBatches{"batch_events_delete",
                                   "DELETE FROM batch_events WHERE project_id = $1::bigint"};
constexpr Statement kDeleteBirths{"task_births_delete",
                                  "DELETE FROM task_births WHERE project_id = $1::bigint"};

constexpr Statement kDeleteNamings{"class_namings_delete",
                                   "DELETE FROM class_namings WHERE project_id = $1::bigint"};

template <class E>
concept OfABatch = requires(const E& event) {
  { ProjectId(event.project_id) };
  { BatchId(event.batch_id) };
};
template <class E>
inline constexpr bool kMovesTasks =
    std::is_same_v<E, BatchTasksAdded> || std::is_same_v<E, BatchTasksRemoved>;

std::int64_t offset_of(const eventstore::Record& record) {
  return static_cast<std::int64_t>(record.position.offset.value);
}

// The column is a convenience: what PostgreSQL might refuse must not stop the event.
std::string_view printable(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return plain ? text : std::string_view();
}

template <class Row>
std::string_view data_of(const Row& row) {
  return row.cut.empty() ? row.data : std::string_view(row.cut);
}

}  // namespace

void HistoryRows::keep_names(ProjectId project, const ClassList& classes, const At& at) {
  for (const auto& one : classes.live)
    namings_.push_back({project, one.id, offset_of(at.record), at.how, one.name});
}

template <class E>
void HistoryRows::keep_task(const E& event, const At& at) {
  tasks_.push_back({event.project_id,
                    event.task_id,
                    offset_of(at.record),
                    std::nullopt,
                    at.how,
                    at.record.headers.type,
                    at.record.headers.schema_version,
                    at.record.data,
                    {}});
}

// Each task has its own row, which tells of it alone, and the batch's tells how many they are:
// thousands may come by one record.
template <class E>
void HistoryRows::keep_membership(const E& event, const At& at) {
  E one = event;
  std::unordered_set<TaskId> seen;
  for (const TaskId task : event.task_ids) {
    if (!seen.insert(task).second) continue;
    one.task_ids.assign(1, task);
    tasks_.push_back({event.project_id,
                      task,
                      offset_of(at.record),
                      event.batch_id.value,
                      at.how,
                      E::kType,
                      E::kVersion,
                      {},
                      codec::encode_event(one).data});
  }
  one.task_ids.clear();
  BatchRow& row = keep_batch(event.project_id, event.batch_id, at);
  row.schema_version = E::kVersion;
  row.tasks = static_cast<std::int64_t>(seen.size());
  row.cut = codec::encode_event(one).data;
}

HistoryRows::BatchRow& HistoryRows::keep_batch(ProjectId project, BatchId batch, const At& at) {
  const auto& headers = at.record.headers;
  return batches_.emplace_back(BatchRow{project,
                                        batch,
                                        offset_of(at.record),
                                        at.how,
                                        headers.type,
                                        headers.schema_version,
                                        printable(headers.request_id),
                                        std::nullopt,
                                        std::nullopt,
                                        at.record.data,
                                        {}});
}

// Each batch that the call named has a row, which tells what came of that one.
void HistoryRows::keep_call(const BatchesChanged& event, const At& at) {
  std::unordered_set<BatchId> seen;
  const auto keep = [&](const std::vector<BatchId>& batches, auto into) {
    for (const BatchId batch : batches) {
      if (!seen.insert(batch).second) continue;
      BatchesChanged one{event.project_id, event.action, {}, {}, {}};
      (one.*into).push_back(batch);
      BatchRow& row = keep_batch(event.project_id, batch, at);
      row.schema_version = BatchesChanged::kVersion;
      row.cut = codec::encode_event(one).data;
    }
  };
  keep(event.succeeded, &BatchesChanged::succeeded);
  keep(event.skipped, &BatchesChanged::skipped);
  keep(event.failed, &BatchesChanged::failed);
}

void HistoryRows::apply(const Event& event, const Happened& how, const eventstore::Record& record) {
  const At at{how, record};
  std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<E, TasksCreated>) {
          if (!e.tasks.empty())
            births_.push_back({e.project_id, e.tasks.front().task_id, offset_of(record), how});
        } else if constexpr (std::is_same_v<E, BatchesChanged>) {
          keep_call(e, at);
        } else if constexpr (std::is_same_v<E, ProjectCreated> ||
                             std::is_same_v<E, ProjectClassesReplaced>) {
          keep_names(e.project_id, e.classes, at);
        } else if constexpr (std::is_same_v<E, ProjectClassRenamed>) {
          namings_.push_back({e.project_id, e.class_id, offset_of(record), how, e.new_name});
        } else if constexpr (std::is_same_v<E, TasksRemoved>) {
          removed_.push_back(e);
        } else if constexpr (std::is_same_v<E, ProjectDeleted>) {
          deleted_.push_back(e.project_id);
        } else if constexpr (OfATask<E>) {
          keep_task(e, at);
        } else if constexpr (OfABatch<E>) {
          if constexpr (kMovesTasks<E>) keep_membership(e, at);
          else keep_batch(e.project_id, e.batch_id, at);
          if constexpr (std::is_same_v<E, BatchCreated>) batches_.back().number = e.number;
        }
      },
      event);
}

void HistoryRows::take(StatementQueue& out) {
  insert_rows(out, kInsertTasks, tasks_,
              Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.task_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.position; }},
              Column{PgType::int8, [](const auto& r) { return r.batch_id; }},
              Column{PgType::int8, [](const auto& r) { return r.how.at.ms; }},
              Column{PgType::int8, [](const auto& r) { return r.how.actor.value; }},
              Column{PgType::text, [](const auto& r) { return r.type; }},
              Column{PgType::int8, [](const auto& r) { return r.schema_version; }},
              Column{PgType::text, [](const auto& r) { return data_of(r); }});
  insert_rows(out, kInsertBatches, batches_,
              Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.batch_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.position; }},
              Column{PgType::int8, [](const auto& r) { return r.how.at.ms; }},
              Column{PgType::int8, [](const auto& r) { return r.how.actor.value; }},
              Column{PgType::text, [](const auto& r) { return r.type; }},
              Column{PgType::int8, [](const auto& r) { return r.schema_version; }},
              Column{PgType::text, [](const auto& r) { return r.request_id; }},
              Column{PgType::int8, [](const auto& r) { return r.tasks; }},
              Column{PgType::int8, [](const auto& r) { return r.number; }},
              Column{PgType::text, [](const auto& r) { return data_of(r); }});
  insert_rows(out, kInsertBirths, births_,
              Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.first_task_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.position; }},
              Column{PgType::int8, [](const auto& r) { return r.how.at.ms; }},
              Column{PgType::int8, [](const auto& r) { return r.how.actor.value; }});
  take_names(out);
  take_ends(out);
}

// One record a statement: the next must see what this one called them.
void HistoryRows::take_names(StatementQueue& out) {
  for (auto first = namings_.begin(); first != namings_.end();) {
    const auto last = std::find_if(first, namings_.end(), [&](const Naming& one) {
      return one.position != first->position || one.project_id != first->project_id;
    });
    const std::vector<Naming> rows(first, last);
    Params params;
    add_column(params, PgType::int8, rows, [](const auto& r) { return r.project_id.value; });
    add_column(params, PgType::int8, rows, [](const auto& r) { return r.class_id.value; });
    add_column(params, PgType::int8, rows, [](const auto& r) { return r.position; });
    add_column(params, PgType::int8, rows, [](const auto& r) { return r.how.at.ms; });
    add_column(params, PgType::text, rows, [](const auto& r) { return std::string_view(r.name); });
    out.add(kInsertNamings, std::move(params));
    first = last;
  }
}

// Nothing follows on what has ended, so its rows may go last.
void HistoryRows::take_ends(StatementQueue& out) {
  for (const TasksRemoved& gone : removed_) {
    Params params;
    params.add(gone.project_id.value);
    add_column(params, PgType::int8, gone.task_ids, [](TaskId id) { return id.value; });
    out.add(kRemove, std::move(params));
  }
  for (const ProjectId project : deleted_) {
    for (const Statement* statement :
         {&kDeleteTasks, &kDeleteBatches, &kDeleteBirths, &kDeleteNamings})
      out.add(*statement, std::move(Params().add(project.value)));
  }
}

}  // namespace annolog::projections
