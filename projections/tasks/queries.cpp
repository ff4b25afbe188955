#include "projections/tasks/queries.hpp"

#include <algorithm>
#include <string>

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"
#include "projections/tasks/page_statements.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kFind{"tasks_find",
                          "SELECT " TASK_COLUMNS " FROM tasks t WHERE t.id = $1::bigint"};
constexpr Statement kFindMany{
    "tasks_find_many", "SELECT " TASK_COLUMNS " FROM tasks t WHERE t.id = ANY($1::bigint[])"};
constexpr Statement kCounts{"task_counts_find", R"sql(
SELECT status, tasks FROM task_counts WHERE project_id = $1::bigint
)sql"};

std::optional<LockView> read_lock(RowReader& row, Timestamp now) {
  const auto user = row.optional_id<UserId>();
  const auto expires_at = row.optional_time();
  if (!user || !expires_at || *expires_at <= now) return std::nullopt;
  return LockView{*user, *expires_at};
}

auto task_reader(Timestamp now) {
  return [now](RowReader& row) {
    TaskView task;
    task.id = row.id<TaskId>();
    task.project_id = row.id<ProjectId>();
    task.display_id = "T-" + std::to_string(row.integer());
    task.batch_id = row.optional_id<BatchId>();
    task.dataset_id = row.optional_id<DatasetId>();
    task.dataset_item_id = row.optional_id<ItemId>();
    task.file_name = row.text();
    task.file_path = row.text();
    task.status = row.word<TaskStatus>();
    task.assignee_id = row.optional_id<UserId>();
    task.reviewer_id = row.optional_id<UserId>();
    task.lock = read_lock(row, now);
    task.reject_reason_type = row.optional_word<RejectReason>();
    task.reject_reason = row.optional_text();
    task.submitted_at = row.optional_time();
    task.reviewed_at = row.optional_time();
    task.skipped_at = row.optional_time();
    task.reopened_count = row.integer();
    task.image_width = row.optional_integer();
    task.image_height = row.optional_integer();
    task.annotation_count = row.integer();
    task.version = row.integer();
    task.created_at = row.time();
    task.updated_at = row.time();
    return task;
  };
}

bool counters_answer(const TaskFilter& filter) {
  return !filter.assignee_id && !filter.reviewer_id && !filter.dataset_id &&
         !filter.updated_since && !filter.updated_before && !filter.batch_id &&
         !filter.without_batch && !filter.skipped && !filter.looks_beside();
}

TimeCursor place_of_view(const TaskView& task) { return {task.updated_at, task.id.value}; }

}  // namespace

std::optional<TaskView> TaskQueries::find(TaskId id, Timestamp now) const {
  return fetch_one(*pool_, kFind, Params().add(id.value), task_reader(now));
}

std::vector<TaskView> TaskQueries::find_many(std::span<const TaskId> ids, Timestamp now) const {
  Params params;
  add_column(params, PgType::int8, ids, [](TaskId id) { return id.value; });
  return fetch_all(*pool_, kFindMany, params, task_reader(now));
}

Page<TaskView, TimeCursor> TaskQueries::list(const TaskFilter& filter,
                                             std::optional<TimeCursor> after, std::int64_t limit,
                                             Timestamp now) const {
  Params params;
  params.add(filter.project_id.value).add(limit + 1);
  add_start_params(params, filter, after);
  add_filter_params(params, filter);
  const Statement& statement = task_page_statement(TaskPageKind::by_cursor, filter);
  return make_page(fetch_all(*pool_, statement, params, task_reader(now)), limit, place_of_view);
}

Question<Page<TaskKey, TimeCursor>> TaskQueries::list_keys(const TaskFilter& filter,
                                                           std::optional<TimeCursor> after,
                                                           std::int64_t limit) {
  Params params;
  params.add(filter.project_id.value).add(limit + 1);
  add_start_params(params, filter, after);
  add_filter_params(params, filter);
  const auto key_of = [](RowReader& row) {
    TaskKey key{row.id<TaskId>()};
    key.version = row.integer();
    key.updated_at = row.time();
    return key;
  };
  return {&task_page_statement(TaskPageKind::keys, filter), std::move(params),
          [limit, key_of](const Rows& rows) {
            return make_page(values_of(rows, key_of), limit, [](const TaskKey& task) {
              return TimeCursor{task.updated_at, task.id.value};
            });
          }};
}

Page<TaskView, TimeCursor> TaskQueries::list_across(std::span<const ProjectId> projects,
                                                    const TaskFilter& filter,
                                                    std::optional<TimeCursor> after,
                                                    std::int64_t limit, Timestamp now) const {
  Params params;
  add_column(params, PgType::int8, projects, [](ProjectId id) { return id.value; });
  params.add(limit + 1);
  add_start_params(params, filter, after);
  add_filter_params(params, filter);
  const Statement& statement = task_page_statement(TaskPageKind::across, filter);
  return make_page(fetch_all(*pool_, statement, params, task_reader(now)), limit, place_of_view);
}

TaskOffsetPage TaskQueries::list_by_offset(const TaskFilter& filter, std::int64_t limit,
                                           std::int64_t offset, Timestamp now) const {
  TaskOffsetPage page;
  page.total = total(filter, page.total_is_least);
  if (offset >= page.total && !page.total_is_least) return page;
  Params params;
  params.add(filter.project_id.value).add(limit).add(offset);
  add_filter_params(params, filter);
  const Statement& statement = task_page_statement(TaskPageKind::by_offset, filter);
  page.items = fetch_all(*pool_, statement, params, task_reader(now));
  return page;
}

std::int64_t TaskQueries::total(const TaskFilter& filter, bool& is_least) const {
  is_least = false;
  if (counters_answer(filter)) {
    const TaskCounts by_status = counts(filter.project_id);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < by_status.size(); ++i) {
      const auto status = static_cast<TaskStatus>(i);
      const auto& wanted = filter.statuses;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), status) != wanted.end()) {
        sum += by_status[i];
      }
    }
    return sum;
  }
  Params params;
  params.add(filter.project_id.value).add(kTotalLimit + 1);
  add_filter_params(params, filter);
  const auto counted = fetch_one(*pool_, task_page_statement(TaskPageKind::total, filter), params,
                                 [](RowReader& row) { return row.integer(); });
  is_least = counted.value_or(0) > kTotalLimit;
  return std::min(counted.value_or(0), kTotalLimit);
}

TaskCounts TaskQueries::counts(ProjectId id) const {
  TaskCounts counts{};
  const auto rows = fetch_all(*pool_, kCounts, Params().add(id.value), [](RowReader& row) {
    const auto status = row.word<TaskStatus>();
    return std::pair{status, row.integer()};
  });
  for (const auto& [status, tasks] : rows) counts[static_cast<std::size_t>(status)] = tasks;
  return counts;
}

std::vector<Statement> task_statements() {
  std::vector<Statement> statements = task_page_statements();
  statements.insert(statements.end(), {kFind, kFindMany, kCounts});
  return statements;
}

}  // namespace annolog::projections
