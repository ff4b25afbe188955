// The statements by which what happens to a batch reaches its tasks; for tasks/batch_changes.cpp
// only. Equal to join, leave, reset and caught_up in domain/batch/state.cpp.
#pragma once

#include "projections/tasks/write_statements.hpp"

namespace annolog::projections {

#define IS_OPEN "old.status IN ('pending', 'assigned', 'in_progress', 'rejected')"
#define IS_UNTOUCHED "old.status IN ('pending', 'assigned')"

#define TASK_MOVES_OF_BATCHES                                                             \
  "), unclassified AS (INSERT INTO unclassified_counts AS u (project_id, tasks) "         \
  "SELECT project_id, sum((batch IS NULL)::int - (old_batch IS NULL)::int) FROM changed " \
  "GROUP BY project_id ON CONFLICT (project_id) DO UPDATE SET tasks = u.tasks + "         \
  "excluded.tasks" TASK_MOVES

// $1 tasks, $2 batch, $3 annotator, $4 reviewer, $5 time
inline constexpr Statement kJoinBatch{
    "tasks_join_batch",
    "WITH changed AS (UPDATE tasks t SET batch_id = $2::bigint, "
    "assignee_id = CASE WHEN old.takes_annotator THEN $3::bigint ELSE t.assignee_id END, "
    "status = CASE WHEN NOT (" IS_UNTOUCHED
    ") THEN t.status "
    "WHEN $3::bigint IS NULL THEN 'pending' ELSE 'assigned' END, "
    "reviewer_id = CASE WHEN old.takes_reviewer THEN $4::bigint ELSE t.reviewer_id END, "
    "lock_user_id = CASE WHEN NOT old.frees THEN t.lock_user_id END, "
    "lock_expires_at_ms = CASE WHEN NOT old.frees THEN t.lock_expires_at_ms END, "
    "version = t.version + 1, updated_at_ms = $5::bigint "
    "FROM (SELECT old.id, old.status, old.batch_id, old.assignee_id, "
    "old.status <> 'completed' AND ($3::bigint IS NOT NULL OR " IS_UNTOUCHED
    ") "
    "AS takes_annotator, "
    "old.status <> 'completed' AND $4::bigint IS NOT NULL AS takes_reviewer, "
    "old.status <> 'completed' AND CASE WHEN " IS_OPEN
    " THEN $3::bigint IS NOT NULL OR " IS_UNTOUCHED
    " ELSE $4::bigint IS NOT NULL END AS frees "
    "FROM tasks old WHERE old.id = ANY($1::bigint[])) old WHERE t.id = old.id "
    "RETURNING t.project_id, old.batch_id AS old_batch, t.batch_id AS batch, "
    "old.status AS old_status, t.status, old.assignee_id AS old_assignee, "
    "t.assignee_id" TASK_MOVES_OF_BATCHES};

// By batch: $1 batches, $2 annotators, $3 reviewers, $4 annotator changed, $5 reviewer changed,
// $6 times
inline constexpr Statement kFollowBatches{
    "tasks_follow_batches",
    "WITH changed AS (UPDATE tasks t SET "
    "assignee_id = CASE WHEN old.annotator_changed THEN old.annotator ELSE t.assignee_id END, "
    "status = CASE WHEN NOT (old.annotator_changed AND " IS_UNTOUCHED
    ") THEN t.status "
    "WHEN old.annotator IS NULL THEN 'pending' ELSE 'assigned' END, "
    "reviewer_id = CASE WHEN old.reviewer_changed THEN old.reviewer ELSE t.reviewer_id END, "
    "lock_user_id = CASE WHEN NOT old.frees THEN t.lock_user_id END, "
    "lock_expires_at_ms = CASE WHEN NOT old.frees THEN t.lock_expires_at_ms END, "
    "version = t.version + 1, updated_at_ms = old.at "
    "FROM (SELECT old.id, old.status, old.batch_id, old.assignee_id, n.annotator, n.reviewer, "
    "n.annotator_changed, "
    "n.reviewer_changed, n.at, "
    "CASE WHEN " IS_OPEN
    " THEN n.annotator_changed ELSE n.reviewer_changed END AS frees "
    "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[], "
    "$6::bigint[]) AS n(batch, annotator, reviewer, annotator_changed, reviewer_changed, at) "
    "JOIN tasks old ON old.batch_id = n.batch AND old.status <> 'completed') old "
    "WHERE t.id = old.id RETURNING t.project_id, t.batch_id AS old_batch, t.batch_id AS batch, "
    "old.status AS old_status, t.status, old.assignee_id AS old_assignee, "
    "t.assignee_id" TASK_MOVES};

// $1 batch, $2 reviewer, $3 time
inline constexpr Statement kResetBatch{
    "tasks_reset_batch",
    "WITH changed AS (UPDATE tasks t SET status = 'pending', assignee_id = NULL, "
    "reviewer_id = $2::bigint, lock_user_id = NULL, lock_expires_at_ms = NULL, "
    "reject_reason_type = NULL, reject_reason = NULL, submitted_at_ms = NULL, "
    "reviewed_at_ms = NULL, skipped_at_ms = NULL, version = t.version + 1, "
    "updated_at_ms = $3::bigint "
    "FROM (SELECT id, status, assignee_id FROM tasks WHERE batch_id = $1::bigint) old WHERE t.id = "
    "old.id "
    "RETURNING t.project_id, t.batch_id AS old_batch, t.batch_id AS batch, "
    "old.status AS old_status, t.status, old.assignee_id AS old_assignee, "
    "t.assignee_id" TASK_MOVES};

#define LEAVE_BATCH(which)                                                         \
  "WITH changed AS (UPDATE tasks t SET batch_id = NULL, version = t.version + 1, " \
  "updated_at_ms = $2::bigint FROM (SELECT id, batch_id FROM tasks WHERE " which   \
  ") old WHERE t.id = old.id RETURNING t.project_id, old.batch_id AS old_batch, "  \
  "t.batch_id AS batch, t.status AS old_status, t.status, "                        \
  "t.assignee_id AS old_assignee, t.assignee_id" TASK_MOVES_OF_BATCHES

// $1 tasks, $2 time
inline constexpr Statement kLeaveBatch{"tasks_leave_batch", LEAVE_BATCH("id = ANY($1::bigint[])")};
// $1 batches, $2 time
inline constexpr Statement kLeaveBatches{"tasks_leave_batches",
                                         LEAVE_BATCH("batch_id = ANY($1::bigint[])")};

}  // namespace annolog::projections
