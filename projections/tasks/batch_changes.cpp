// What happens to a batch reaches all of its tasks by one statement, and so does a removal. What
// was folded before it is sent before it; what comes after is folded anew.
#include "projections/tasks/batch_statements.hpp"
#include "projections/tasks/projection.hpp"

namespace annolog::projections {
namespace {

std::optional<std::int64_t> number(const std::optional<UserId>& id) {
  return id ? std::optional(id->value) : std::nullopt;
}

Params ids(const std::vector<TaskId>& tasks) {
  Params params;
  add_column(params, PgType::int8, tasks, [](TaskId id) { return id.value; });
  return params;
}

}  // namespace

void TaskRows::apply(const BatchTasksAdded& event, const Happened& how) {
  close_phase();
  Params params = ids(event.task_ids);
  params.add(event.batch_id.value).add(number(event.annotator_id)).add(number(event.reviewer_id));
  params.add(how.at.ms);
  done_.add(kJoinBatch, std::move(params));
}

void TaskRows::apply(const BatchTasksRemoved& event, const Happened& how) {
  close_phase();
  Params params = ids(event.task_ids);
  params.add(how.at.ms);
  done_.add(kLeaveBatch, std::move(params));
}

// Those of one call come in a row and become one statement.
void TaskRows::apply(const BatchAssigned& event, const Happened& how) {
  const bool again = assigned_index_.contains(event.batch_id);
  if (again || !changes_.empty() || !births_.empty()) close_phase();
  assigned_index_.insert(event.batch_id);
  assigned_.push_back({event, how.at.ms});
}

void TaskRows::apply(const BatchReset& event, const Happened& how) {
  close_phase();
  Params params;
  params.add(event.batch_id.value).add(number(event.reviewer_id)).add(how.at.ms);
  done_.add(kResetBatch, std::move(params));
}

void TaskRows::apply(const BatchDeleted& event, const Happened& how) {
  close_phase();
  Params params;
  add_column(params, PgType::int8, std::vector{event.batch_id},
             [](BatchId id) { return id.value; });
  params.add(how.at.ms);
  done_.add(kLeaveBatches, std::move(params));
}

void TaskRows::apply(const TasksRemoved& event, const Happened&) {
  close_phase();
  done_.add(kRemoveTasks, ids(event.task_ids));
}

void TaskRows::take_assigned() {
  if (assigned_.empty()) return;
  Params p;
  const auto& rows = assigned_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.batch_id.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return number(r.event.annotator_id); });
  add_column(p, PgType::int8, rows, [](const auto& r) { return number(r.event.reviewer_id); });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.event.annotator_changed; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.event.reviewer_changed; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.at_ms; });
  done_.add(kFollowBatches, std::move(p));
  assigned_.clear();
  assigned_index_.clear();
}

void TaskRows::close_phase() {
  take_assigned();
  take_births(done_);
  take_counts(done_);
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
