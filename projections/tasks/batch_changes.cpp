// What happens to a batch reaches all of its tasks by one statement, and so does a removal. What
// was folded before it is sent before it; what comes after is folded anew. A change of its people
// reaches few tasks at once and many later (engine/settling.hpp).
#include "projections/tasks/batch_statements.hpp"
#include "projections/tasks/projection.hpp"
#include "projections/tasks/settle_statements.hpp"

namespace annolog::projections {
namespace {

template <class Id>
Params ids(const std::vector<Id>& of) {
  Params params;
  add_column(params, PgType::int8, of, [](Id id) { return id.value; });
  return params;
}

template <class Assigned>
Params batches_of(const std::vector<Assigned>& rows) {
  Params params;
  add_column(params, PgType::int8, rows, [](const auto& r) { return r.event.batch_id.value; });
  return params;
}

}  // namespace

void TaskRows::apply(const BatchTasksAdded& event, const Happened& how) {
  close_phase();
  settle_batches_of(ids(event.task_ids));
  settle(event.batch_id);
  Params params = ids(event.task_ids);
  params.add(event.batch_id.value).add(event.annotator_id).add(event.reviewer_id);
  params.add(how.at.ms);
  done_.add(kJoinBatch, std::move(params));
}

void TaskRows::apply(const BatchTasksRemoved& event, const Happened& how) {
  close_phase();
  settle_batches_of(ids(event.task_ids));
  Params params = ids(event.task_ids);
  params.add(how.at.ms);
  done_.add(kLeaveBatch, std::move(params));
}

// Those of one call come in a row and become one statement.
void TaskRows::apply(const BatchAssigned& event, const Happened& how, eventstore::Position at) {
  const bool again = assigned_index_.contains(event.batch_id);
  if (again || !changes_.empty() || !births_.empty()) close_phase();
  assigned_index_.insert(event.batch_id);
  assigned_.push_back({event, at.shard, how.at.ms});
}

void TaskRows::apply(const BatchReset& event, const Happened& how) {
  close_phase();
  settle(event.batch_id);
  Params params;
  params.add(event.batch_id.value).add(event.reviewer_id).add(how.at.ms);
  done_.add(kResetBatch, std::move(params));
}

void TaskRows::apply(const BatchDeleted& event, const Happened& how) {
  close_phase();
  settle(event.batch_id);
  Params params = ids(std::vector{event.batch_id});
  params.add(how.at.ms);
  done_.add(kLeaveBatches, std::move(params));
}

void TaskRows::apply(const TasksRemoved& event, const Happened&) {
  close_phase();
  settle_batches_of(ids(event.task_ids));
  done_.add(kRemoveTasks, ids(event.task_ids));
}

// What concerns a task finds it as it is, so its batch is settled first. Nothing is sent where no
// batch can be unsettled.
void TaskRows::settle(BatchId batch) {
  if (settling_.any) done_.add(kSettleBatches, ids(std::vector{batch}));
}

void TaskRows::settle_batches_of(Params tasks) {
  if (settling_.any) done_.add(kSettleBatchesOf, std::move(tasks));
}

void TaskRows::take_assigned() {
  if (assigned_.empty()) return;
  const auto& rows = assigned_;
  if (settling_.any) done_.add(kSettleBegunBatches, batches_of(rows));
  Params p = batches_of(rows);
  add_column(p, PgType::int8, rows, [](const auto& r) { return std::int64_t{r.shard.value}; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.project_id.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.annotator_id; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.reviewer_id; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.event.annotator_changed; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.event.reviewer_changed; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.at_ms; });
  done_.add(kUnsettleBatches, std::move(p));
  Params few = batches_of(rows);
  few.add(settling_.tasks_at_once);
  done_.add(kSettleFewTasks, std::move(few));
  settling_.any = true;
  assigned_.clear();
  assigned_index_.clear();
}

void TaskRows::settle_changed() {
  if (!settling_.any || changes_.empty()) return;
  Params changed;
  add_column(changed, PgType::int8, changes_, [](const auto& r) { return r.id.value; });
  settle_batches_of(std::move(changed));
}

void TaskRows::close_phase() {
  take_assigned();
  take_births(done_);
  take_counts(done_);
  settle_changed();
  take_changes(done_);
  births_.clear();
  birth_index_.clear();
  changes_.clear();
  change_index_.clear();
  dataset_tasks_.clear();
}

void TaskRows::take(StatementQueue& out) {
  close_phase();
  out.append(std::move(done_));
}

}  // namespace annolog::projections
