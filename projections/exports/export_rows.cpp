#include "projections/exports/export_rows.hpp"

#include <utility>

#include "projections/annotations/rows.hpp"
#include "projections/engine/control.hpp"
#include "projections/pg/connection.hpp"
#include "projections/projects/rows.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kPositions{"export_positions", R"sql(
SELECT c.shard, c.position FROM annolog.checkpoints c
JOIN annolog.read_models r ON r.generation = c.generation ORDER BY c.shard
)sql"};

#define EXPORT_TASK_COLUMNS                                                      \
  "t.id, t.number, t.dataset_item_id, t.file_name, t.file_path, t.image_width, " \
  "t.image_height, t.status"

// Task by task along the index, so that the first row comes at once and nothing is sorted as a
// whole: the ORDER BY within keeps the annotations' part a lookup per task.
constexpr const char kAnnotated[] =
    "SELECT " EXPORT_TASK_COLUMNS ", x.* FROM tasks t LEFT JOIN LATERAL (SELECT " ANNOTATION_COLUMNS
    " FROM annotations a" ANNOTATION_CLASS_JOIN
    "WHERE a.task_id = t.id AND a.deleted_at_ms IS NULL ORDER BY a.id OFFSET 0) x ON true ";
constexpr const char kTasksOnly[] = "SELECT " EXPORT_TASK_COLUMNS " FROM tasks t ";

ExportTaskRow read_task(RowReader& row) {
  ExportTaskRow task;
  task.id = row.id<TaskId>();
  task.number = row.integer();
  task.dataset_item_id = row.optional_id<ItemId>();
  task.file_name = row.text();
  task.file_path = row.text();
  task.image_width = row.optional_integer();
  task.image_height = row.optional_integer();
  task.status = row.word<TaskStatus>();
  return task;
}

// Words and numbers only, so nothing needs a quote of its own (COPY takes no parameters).
std::string where_clause(ProjectId project_id, const std::vector<TaskStatus>& statuses) {
  std::string sql = "WHERE t.project_id = " + std::to_string(project_id.value);
  if (!statuses.empty()) {
    sql += " AND t.status IN (";
    for (const TaskStatus status : statuses) sql += "'" + std::string(word_of(status)) + "',";
    sql.back() = ')';
  }
  return sql + " ORDER BY t.id";
}

}  // namespace

struct ExportRows::Impl {
  std::unique_ptr<PgConnection> connection;
  std::string where;
  std::optional<ProjectView> project;
  ClassList classes;
  std::vector<eventstore::Position> positions;
  bool with_annotations = false;
  // A joined row holds the task and one of its annotations; the row read last, not yet taken:
  std::optional<std::string> ahead;
  TaskId ahead_task;
  TaskId current_task;

  void open(ReadPool& pool, ProjectId id, const Options& options);
  void read_positions();
  void read_ahead();
};

void ExportRows::Impl::open(ReadPool& pool, ProjectId id, const Options& options) {
  connection = pool.dedicated(options.statement_ms);
  where = where_clause(id, options.statuses);
  connection->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // The plan must stream: its first row counts, not its last.
  connection->run(
      "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
      "SET LOCAL jit = off");
  const Params params = std::move(Params().add(id.value));
  const Rows found = connection->execute(kFindProject, params);
  if (!found.empty()) {
    auto row = found.row(0);
    project = read_project(row);
  }
  classes = class_list_of(connection->execute(kFindClasses, params));
  read_positions();
}

void ExportRows::Impl::read_positions() {
  const Rows rows = connection->execute(kPositions);
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    const auto shard = static_cast<std::uint16_t>(row.integer());
    positions.push_back({eventstore::ShardId{shard},
                         eventstore::Offset{static_cast<std::uint64_t>(row.integer())}});
  }
}

void ExportRows::Impl::read_ahead() {
  const auto tuple = connection->next_copy_row();
  if (!tuple) {
    ahead.reset();
    return;
  }
  ahead.emplace(*tuple);
  CopyReader row(*ahead);
  ahead_task = row.id<TaskId>();
}

namespace {

template <class Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  }
}

}  // namespace

ExportRows::ExportRows(ReadPool& pool, ProjectId project_id, Options options)
    : impl_(std::make_unique<Impl>()) {
  translated([&] { impl_->open(pool, project_id, options); });
}

ExportRows::~ExportRows() = default;

const std::optional<ProjectView>& ExportRows::project() const { return impl_->project; }
const ClassList& ExportRows::classes() const { return impl_->classes; }
const std::vector<eventstore::Position>& ExportRows::positions() const { return impl_->positions; }

void ExportRows::rewind(bool with_annotations) {
  translated([&] {
    // Breaking a COPY off would end the snapshot, so what is left of it is read.
    while (impl_->connection->next_copy_row()) {
    }
    impl_->with_annotations = with_annotations;
    impl_->current_task = {};
    impl_->connection->start_copy((with_annotations ? kAnnotated : kTasksOnly) + impl_->where);
    impl_->read_ahead();
  });
}

bool ExportRows::next_task(ExportTaskRow& row) {
  return translated([&] {
    while (impl_->ahead && impl_->ahead_task == impl_->current_task) impl_->read_ahead();
    if (!impl_->ahead) return false;
    CopyReader reader(*impl_->ahead);
    row = read_task(reader);
    impl_->current_task = row.id;
    return true;
  });
}

bool ExportRows::next_annotation(AnnotationView& row) {
  return translated([&] {
    if (!impl_->with_annotations || !impl_->ahead) return false;
    if (impl_->ahead_task != impl_->current_task) return false;
    CopyReader reader(*impl_->ahead);
    constexpr int kTaskColumns = 8;
    for (int i = 0; i < kTaskColumns; ++i) reader.next();
    CopyReader peek = reader;
    if (!peek.next()) {  // a task without annotations is one row of nulls
      impl_->read_ahead();
      return false;
    }
    row = read_annotation(reader);
    impl_->read_ahead();
    return true;
  });
}

}  // namespace annolog::projections
