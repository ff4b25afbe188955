// The statements of the task list: one for each set of filters and order, so that each gets the
// index it needs; made when first asked for. The usual ones stay prepared. Any thread.
#pragma once

#include <optional>
#include <vector>

#include "projections/pg/connection.hpp"
#include "projections/tasks/queries.hpp"

namespace annolog::projections {

enum class TaskPageKind { by_cursor, keys, by_offset, total, across };

// Parameters: project id, then limit + 1 and the start (by_cursor, keys), limit and offset
// (by_offset) or the limit of counting (total); or project ids, limit + 1 and the start (across);
// then a value for each filter that is set.
const Statement& task_page_statement(TaskPageKind kind, const TaskFilter& filter);
void add_start_params(Params& params, const TaskFilter& filter,
                      const std::optional<TimeCursor>& after);
void add_filter_params(Params& params, const TaskFilter& filter);

// For the catalogue: each filter, alone, with statuses, and with each other; by all orders.
std::vector<Statement> task_page_statements();

// Of tasks `t`, in the order that read_task() reads.
#define TASK_COLUMNS                                                                         \
  "t.id, t.project_id, t.number, t.batch_id, t.dataset_id, t.dataset_item_id, t.file_name, " \
  "t.file_path, t.status, t.assignee_id, t.reviewer_id, t.lock_user_id, "                    \
  "t.lock_expires_at_ms, t.reject_reason_type, t.reject_reason, t.submitted_at_ms, "         \
  "t.reviewed_at_ms, t.skipped_at_ms, t.reopened_count, t.image_width, t.image_height, "     \
  "t.annotation_count, t.version, t.created_at_ms, t.updated_at_ms"

}  // namespace annolog::projections
