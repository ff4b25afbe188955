#include "projections/feed/projection.hpp"

#include <type_traits>
#include <utility>
#include <variant>

#include "domain/codec/events.hpp"
#include "domain/codec/public_events.hpp"
#include "projections/history/of_a_task.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr InsertInto kInsert{{"project_events_insert", R"sql(
INSERT INTO project_events (project_id, log_offset, task_id, at_ms, actor_id, type, schema_version,
  data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::text[], $7::bigint[], $8::text[])
)sql"},
                             R"sql(
COPY project_events (project_id, log_offset, task_id, at_ms, actor_id, type, schema_version, data)
  FROM STDIN (FORMAT binary)
)sql"};

constexpr Statement kRemove{"project_events_remove", R"sql(
DELETE FROM project_events WHERE project_id = $1::bigint AND task_id = ANY($2::bigint[])
)sql"};

constexpr Statement kDelete{"project_events_delete",
                            "DELETE FROM project_events WHERE project_id = $1::bigint"};

// Of the project's own shard.
template <class E>
concept OfAProject = requires(const E& event) {
  { ProjectId(event.project_id) };
};

}  // namespace

// A copy of what many rows have already, or what somebody may take back, is not kept.
template <class E>
void FeedRows::keep_cut(Row& row, const E& event) {
  E cut = event;
  if constexpr (std::is_same_v<E, TasksCreated>) {
    for (NewTask& task : cut.tasks) {
      task.file_name.clear();
      task.file_path.clear();
      task.image_width.reset();
      task.image_height.reset();
    }
  } else {
    cut.body.clear();
  }
  row.schema_version = E::kVersion;
  row.cut = codec::encode_event(cut).data;
}

template <class E>
void FeedRows::keep(const E& event, const Happened& how, const eventstore::Record& record) {
  Row& row = rows_.emplace_back();
  row.project_id = event.project_id;
  row.position = static_cast<std::int64_t>(record.position.offset.value);
  row.how = how;
  row.type = record.headers.type;
  row.schema_version = record.headers.schema_version;
  row.data = record.data;
  if constexpr (requires { event.task_id; }) row.task_id = event.task_id.value;
  if constexpr (std::is_same_v<E, TasksCreated> || std::is_same_v<E, CommentAdded>)
    keep_cut(row, event);
}

void FeedRows::apply(const Event& event, const Happened& how, const eventstore::Record& record) {
  const bool is_public = codec::public_rule(event).is_public();
  std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<E, ProjectDeleted>) {
          deleted_.push_back(e.project_id);
        } else if constexpr (OfAProject<E> && !OfATask<E>) {
          if constexpr (std::is_same_v<E, TasksRemoved>) removed_.push_back(e);
          if (is_public) keep(e, how, record);
        }
      },
      event);
}

void FeedRows::take(StatementQueue& out) {
  insert_rows(
      out, kInsert, rows_, Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.position; }},
      Column{PgType::int8, [](const auto& r) { return r.task_id; }},
      Column{PgType::int8, [](const auto& r) { return r.how.at.ms; }},
      Column{PgType::int8, [](const auto& r) { return r.how.actor.value; }},
      Column{PgType::text, [](const auto& r) { return r.type; }},
      Column{PgType::int8, [](const auto& r) { return r.schema_version; }},
      Column{PgType::text,
             [](const auto& r) { return r.cut.empty() ? r.data : std::string_view(r.cut); }});
  // Nothing follows on what has ended, so its rows may go last.
  for (const TasksRemoved& gone : removed_) {
    Params params;
    params.add(gone.project_id.value);
    add_column(params, PgType::int8, gone.task_ids, [](TaskId id) { return id.value; });
    out.add(kRemove, std::move(params));
  }
  for (const ProjectId project : deleted_) out.add(kDelete, std::move(Params().add(project.value)));
}

}  // namespace annolog::projections
