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

constexpr Statement kIsSettled{
    "export_is_settled",
    "SELECT NOT EXISTS (SELECT FROM unsettled_batches WHERE project_id = $1::bigint)"};

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

}  // namespace

struct ExportRows::Impl {
  std::unique_ptr<PgConnection> connection;
  ExportScope scope;
  std::optional<ProjectView> project;
  ClassList classes;
  std::vector<eventstore::Position> positions;
  bool is_settled = false;
  bool with_annotations = false;
  // A joined row holds the task and one of its annotations; the row read last, not yet taken:
  std::optional<std::string> ahead;
  TaskId ahead_task;
  TaskId current_task;

  void open(ReadPool& pool, std::int64_t statement_ms);
  void read_positions();
  void read_ahead();
};

void ExportRows::Impl::open(ReadPool& pool, std::int64_t statement_ms) {
  connection = pool.dedicated(statement_ms);
  connection->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const Params params = std::move(Params().add(scope.project_id.value));
  const Rows found = connection->execute(kFindProject, params);
  if (!found.empty()) {
    auto row = found.row(0);
    project = read_project(row);
  }
  classes = class_list_of(connection->execute(kFindClasses, params));
  read_positions();
  const Rows settled = connection->execute(kIsSettled, params);
  is_settled = settled.row(0).boolean();
  connection->run(kExportPlanSettings);
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

ExportRows::ExportRows(ReadPool& pool, ExportScope scope, std::int64_t statement_ms)
    : impl_(std::make_unique<Impl>()) {
  impl_->scope = std::move(scope);
  translated([&] { impl_->open(pool, statement_ms); });
}

ExportRows::~ExportRows() = default;

const std::optional<ProjectView>& ExportRows::project() const { return impl_->project; }
const ClassList& ExportRows::classes() const { return impl_->classes; }
bool ExportRows::is_settled() const { return impl_->is_settled; }
const std::vector<eventstore::Position>& ExportRows::positions() const { return impl_->positions; }

void ExportRows::rewind(bool with_annotations) {
  translated([&] {
    // Breaking a COPY off would end the snapshot, so what is left of it is read.
    while (impl_->connection->next_copy_row()) {
    }
    impl_->with_annotations = with_annotations;
    impl_->current_task = {};
    impl_->connection->start_copy(export_statement(impl_->scope, with_annotations));
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
