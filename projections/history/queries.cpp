#include "projections/history/queries.hpp"

#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "domain/codec/events.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

// A record's tasks have ids that follow one another, and those of later records come after them.
// Whoever was measured later was born without a size.
constexpr Statement kBirth{"task_births_find", R"sql(
SELECT log_offset, at_ms, actor_id, EXISTS (
    SELECT 1 FROM task_events e WHERE e.project_id = $1::bigint AND e.task_id = $2::bigint
      AND e.type = 'task.measured')
FROM task_births
WHERE project_id = $1::bigint AND first_task_id <= $2::bigint
ORDER BY first_task_id DESC LIMIT 1
)sql"};

// With what the batches that it was ever in did to all of theirs: one statement, so that both sides
// are of one moment.
constexpr Statement kOfTask{"task_events_of_task", R"sql(
WITH own AS MATERIALIZED (
  SELECT log_offset, at_ms, actor_id, type, schema_version, data, batch_id FROM task_events
  WHERE project_id = $1::bigint AND task_id = $2::bigint AND log_offset <= $3::bigint
    AND at_ms <= $4::bigint)
SELECT log_offset, at_ms, actor_id, type, schema_version, data FROM own
UNION ALL
SELECT b.log_offset, b.at_ms, b.actor_id, b.type, b.schema_version, b.data FROM batch_events b
WHERE b.project_id = $1::bigint
  AND b.batch_id = ANY (ARRAY(SELECT DISTINCT batch_id FROM own WHERE batch_id IS NOT NULL))
  AND b.type IN ('batch.created', 'batch.assigned', 'batch.reset', 'batch.deleted')
  AND b.log_offset <= $3::bigint AND b.at_ms <= $4::bigint
ORDER BY log_offset
)sql"};

// Calls may have named what no batch ever was: a batch has a birth.
constexpr Statement kBatchById{"batch_events_find_batch", R"sql(
SELECT batch_id, number FROM batch_events
WHERE project_id = $1::bigint AND batch_id = $2::bigint AND number IS NOT NULL
ORDER BY log_offset LIMIT 1
)sql"};
constexpr Statement kBatchByNumber{"batch_events_find_number", R"sql(
SELECT batch_id, number FROM batch_events WHERE project_id = $1::bigint AND number = $2::bigint
LIMIT 1
)sql"};

constexpr Statement kOfBatch{"batch_events_of_batch", R"sql(
SELECT log_offset, at_ms, actor_id, type, schema_version, request_id, tasks, data
FROM batch_events
WHERE project_id = $1::bigint AND batch_id = $2::bigint AND log_offset < $3::bigint
ORDER BY log_offset DESC LIMIT $4::bigint
)sql"};

constexpr Statement kClassNames{"class_namings_of_project", R"sql(
SELECT class_id, log_offset, at_ms, name FROM class_namings WHERE project_id = $1::bigint
ORDER BY class_id, log_offset
)sql"};

PastEvent read_past(RowReader& row) {
  PastEvent past;
  past.position = row.integer();
  past.how.at = row.time();
  past.how.actor = row.id<UserId>();
  const std::string type = row.text();
  const auto version = static_cast<int>(row.integer());
  past.event = codec::decode_event(type, version, row.view());
  return past;
}

BatchTraceView read_trace(RowReader& row, BatchId batch) {
  BatchTraceView view;
  view.id = row.integer();
  view.created_at = row.time();
  const auto actor = row.id<UserId>();
  if (actor != kSystemUser) view.actor_id = actor;
  const std::string type = row.text();
  const auto version = static_cast<int>(row.integer());
  std::string request_id = row.text();
  const auto tasks = row.optional_integer();
  auto trace = trace_of(codec::decode_event(type, version, row.view()));
  view.action = std::move(trace.action);
  view.detail_json = std::move(trace.detail);
  if (!request_id.empty()) view.detail_json.request_id = std::move(request_id);
  view.detail_json.task_count = tasks;
  view.target_id = batch;
  return view;
}

std::int64_t number_of(const std::string& display_id) {
  std::int64_t number = 0;
  const char* const end = display_id.data() + display_id.size();
  if (display_id.size() > 2) std::from_chars(display_id.data() + 2, end, number);
  return number;
}

TasksCreated birth_of(const TaskView& task, bool without_size) {
  NewTask born{task.id,
               number_of(task.display_id),
               task.dataset_item_id.value_or(ItemId{}),
               task.file_name,
               task.file_path,
               task.image_width,
               task.image_height};
  if (without_size) {
    born.image_width.reset();
    born.image_height.reset();
  }
  return {task.project_id, task.dataset_id.value_or(DatasetId{}), {std::move(born)}};
}

}  // namespace

std::vector<PastEvent> HistoryQueries::of_task(const TaskView& task, const Until& until) const {
  Params of_birth;
  of_birth.add(task.project_id.value).add(task.id.value);
  auto birth = fetch_one(*pool_, kBirth, of_birth, [&](RowReader& row) {
    PastEvent past;
    past.position = row.integer();
    past.how.at = row.time();
    past.how.actor = row.id<UserId>();
    past.event = birth_of(task, row.boolean());
    return past;
  });
  if (!birth || birth->position > until.log_offset || birth->how.at > until.at) return {};
  Params params;
  params.add(task.project_id.value).add(task.id.value).add(until.log_offset).add(until.at.ms);
  auto later = fetch_all(*pool_, kOfTask, params, read_past);
  std::vector<PastEvent> all;
  all.reserve(later.size() + 1);
  all.push_back(std::move(*birth));
  std::move(later.begin(), later.end(), std::back_inserter(all));
  return all;
}

std::optional<TracedBatch> HistoryQueries::find_batch(ProjectId project,
                                                      const BatchRef& ref) const {
  if (ref.id == 0 && ref.number == 0) return std::nullopt;
  const bool by_id = ref.id != 0;
  return fetch_one(*pool_, by_id ? kBatchById : kBatchByNumber,
                   Params().add(project.value).add(by_id ? ref.id : ref.number),
                   [](RowReader& row) {
                     TracedBatch batch;
                     batch.id = row.id<BatchId>();
                     batch.display_id = "B-" + std::to_string(row.integer());
                     return batch;
                   });
}

Page<BatchTraceView, LogOffset> HistoryQueries::of_batch(ProjectId project, BatchId batch,
                                                         std::optional<LogOffset> before,
                                                         std::int64_t limit) const {
  const auto from = before.value_or(LogOffset{std::numeric_limits<std::int64_t>::max()});
  Params params;
  params.add(project.value).add(batch.value).add(from.value).add(limit + 1);
  return make_page(fetch_all(*pool_, kOfBatch, params,
                             [batch](RowReader& row) { return read_trace(row, batch); }),
                   limit, [](const BatchTraceView& last) { return LogOffset{last.id}; });
}

ClassNames HistoryQueries::class_names(ProjectId project) const {
  return ClassNames(fetch_all(*pool_, kClassNames, Params().add(project.value), [](RowReader& row) {
    Naming naming;
    naming.class_id = row.id<ClassId>();
    naming.log_offset = row.integer();
    naming.at = row.time();
    naming.name = row.text();
    return naming;
  }));
}

std::vector<Statement> history_statements() {
  return {kBirth, kOfTask, kBatchById, kBatchByNumber, kOfBatch, kClassNames};
}

}  // namespace annolog::projections
