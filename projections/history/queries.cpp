#include "projections/history/queries.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "domain/codec/events.hpp"
#include "domain/support/number.hpp"
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

// Those that it was ever in.
constexpr Statement kBatchesOfTask{"task_events_batches", R"sql(
SELECT DISTINCT batch_id FROM task_events
WHERE project_id = $1::bigint AND task_id = $2::bigint AND log_offset <= $3::bigint
  AND at_ms <= $4::bigint AND batch_id IS NOT NULL
)sql"};

// With what the batches $6 did to all of theirs. So many rows behind $5 as are in kSliceRows and
// begin within kSliceBytes; the lengths are known without reading the data.
#define PAST_COLUMNS "log_offset, at_ms, actor_id, type, schema_version, data"
#define PAST_SLICE                                                                     \
  " AND log_offset > $5::bigint AND log_offset <= $3::bigint AND at_ms <= $4::bigint " \
  "ORDER BY log_offset LIMIT $7::bigint)"
constexpr Statement kSlice{
    "task_events_slice",
    "SELECT " PAST_COLUMNS
    " FROM (SELECT e.*, coalesce(sum(octet_length(data)) OVER (ORDER BY log_offset "
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before FROM ("
    "(SELECT " PAST_COLUMNS
    " FROM task_events WHERE project_id = $1::bigint AND task_id = $2::bigint" PAST_SLICE
    " UNION ALL (SELECT " PAST_COLUMNS
    " FROM batch_events WHERE project_id = $1::bigint AND batch_id = ANY ($6::bigint[]) "
    "AND type IN ('batch.created', 'batch.assigned', 'batch.reset', 'batch.deleted')" PAST_SLICE
    " ORDER BY log_offset LIMIT $7::bigint) e) s "
    "WHERE bytes_before < $8::bigint ORDER BY log_offset"};
constexpr std::int64_t kSliceRows = 1'000;
constexpr std::int64_t kSliceBytes = 4 * 1024 * 1024;

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

constexpr Statement kClassNames{"class_namings_of_project", R"sql(
SELECT class_id, log_offset, at_ms, name FROM class_namings WHERE project_id = $1::bigint
ORDER BY class_id, log_offset
)sql"};

// Adds the length of its data to `bytes`.
PastEvent read_past(RowReader& row, std::int64_t& bytes) {
  PastEvent past;
  past.position = row.integer();
  past.how.at = row.time();
  past.how.actor = row.id<UserId>();
  const std::string type = row.text();
  const auto version = static_cast<int>(row.integer());
  const std::string_view data = row.view();
  bytes += static_cast<std::int64_t>(data.size());
  past.event = codec::decode_event(type, version, data);
  return past;
}

std::int64_t number_of(std::string_view display_id) {
  constexpr std::string_view kTask = "T-";
  return id_number(display_id.substr(std::min(kTask.size(), display_id.size())));
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

Naming read_naming(RowReader& row) {
  Naming naming;
  naming.class_id = row.id<ClassId>();
  naming.log_offset = row.integer();
  naming.at = row.time();
  naming.name = row.text();
  return naming;
}

// The past of one task on one connection, within a transaction.
class TaskReader {
 public:
  TaskReader(PgConnection& connection, const TaskView& task, const Until& until)
      : connection_(connection), task_(task), until_(until) {}

  std::optional<ClassNames> run(const HistoryQueries::Tell& tell) {
    const auto birth = read_birth();
    if (!birth || birth->position > until_.log_offset || birth->how.at > until_.at)
      return std::nullopt;
    ClassNames classes(
        fetch_on(connection_, kClassNames, Params().add(task_.project_id.value), read_naming));
    const auto batches =
        fetch_on(connection_, kBatchesOfTask, key().add(until_.log_offset).add(until_.at.ms),
                 [](RowReader& row) { return row.integer(); });
    bool more = tell(*birth, classes);
    for (std::int64_t after = kBeforeAll; more;) {
      const Rows slice = connection_.execute(kSlice, slice_params(batches, after));
      std::int64_t bytes = 0;
      for (int i = 0; more && i < slice.size(); ++i) {
        auto row = slice.row(i);
        const PastEvent event = read_past(row, bytes);
        after = event.position;
        more = tell(event, classes);
      }
      more = more && (slice.size() == kSliceRows || bytes >= kSliceBytes);
    }
    return classes;
  }

 private:
  static constexpr std::int64_t kBeforeAll = -1;

  Params key() const { return Params().add(task_.project_id.value).add(task_.id.value); }

  Params slice_params(const std::vector<std::int64_t>& batches, std::int64_t after) const {
    Params params = key();
    params.add(until_.log_offset).add(until_.at.ms).add(after);
    add_column(params, PgType::int8, batches, [](std::int64_t id) { return id; });
    params.add(kSliceRows).add(kSliceBytes);
    return params;
  }

  std::optional<PastEvent> read_birth() {
    const auto births = fetch_on(connection_, kBirth, key(), [&](RowReader& row) {
      PastEvent past;
      past.position = row.integer();
      past.how.at = row.time();
      past.how.actor = row.id<UserId>();
      past.event = birth_of(task_, row.boolean());
      return past;
    });
    return births.empty() ? std::nullopt : std::optional(births.front());
  }

  PgConnection& connection_;
  const TaskView& task_;
  const Until& until_;
};

}  // namespace

std::optional<ClassNames> HistoryQueries::of_task(const TaskView& task, const Until& until,
                                                  const Tell& tell) const {
  std::optional<ClassNames> classes;
  bool told = false;
  const auto tell_once = [&](const PastEvent& event, const ClassNames& names) {
    told = true;
    return tell(event, names);
  };
  pool_->with_connection([&](PgConnection& connection) {
    try {
      connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      classes = TaskReader(connection, task, until).run(tell_once);
      connection.run("COMMIT");
    } catch (const PgUnavailable& error) {
      if (told) throw ReadUnavailable(error.what());  // it can't be told again
      throw;
    }
  });
  return classes;
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

ClassNames HistoryQueries::class_names(ProjectId project) const {
  return ClassNames(fetch_all(*pool_, kClassNames, Params().add(project.value), read_naming));
}

std::vector<Statement> history_statements() {
  return {kBirth, kBatchesOfTask, kSlice, kBatchById, kBatchByNumber, kClassNames};
}

}  // namespace annolog::projections
