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

// $1 tasks. Their annotations and comments go by themselves, after those of the same batch of
// events are there (annotations/projection.cpp, comments/projection.cpp).
inline constexpr Statement kRemoveTasks{"tasks_remove", R"sql(
WITH removed AS (
  DELETE FROM tasks WHERE id = ANY($1::bigint[])
  RETURNING project_id, dataset_id, batch_id, status, assignee_id),
names AS (DELETE FROM task_names WHERE task_id = ANY($1::bigint[])),
of_batches AS (
  UPDATE batches b SET pending = b.pending - r.pending, assigned = b.assigned - r.assigned,
    in_progress = b.in_progress - r.in_progress, submitted = b.submitted - r.submitted,
    review = b.review - r.review, rejected = b.rejected - r.rejected,
    completed = b.completed - r.completed
  FROM (
    SELECT batch_id, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'assigned') AS assigned,
      count(*) FILTER (WHERE status = 'in_progress') AS in_progress,
      count(*) FILTER (WHERE status = 'submitted') AS submitted,
      count(*) FILTER (WHERE status = 'review') AS review,
      count(*) FILTER (WHERE status = 'rejected') AS rejected,
      count(*) FILTER (WHERE status = 'completed') AS completed
    FROM removed WHERE batch_id IS NOT NULL GROUP BY batch_id) r
  WHERE b.id = r.batch_id),
unclassified AS (
  UPDATE unclassified_counts u SET tasks = u.tasks - r.tasks
  FROM (SELECT project_id, count(*) AS tasks FROM removed WHERE batch_id IS NULL
        GROUP BY project_id) r
  WHERE u.project_id = r.project_id),
of_datasets AS (
  UPDATE dataset_task_counts d SET tasks = d.tasks - r.tasks
  FROM (SELECT project_id, dataset_id, count(*) AS tasks FROM removed
        GROUP BY project_id, dataset_id) r
  WHERE d.project_id = r.project_id AND d.dataset_id = r.dataset_id),
of_assignees AS (
  UPDATE assignee_task_counts a SET tasks = a.tasks - r.tasks
  FROM (SELECT assignee_id, project_id, status, count(*) AS tasks FROM removed
        WHERE assignee_id IS NOT NULL GROUP BY assignee_id, project_id, status) r
  WHERE a.assignee_id = r.assignee_id AND a.project_id = r.project_id AND a.status = r.status)
UPDATE task_counts c SET tasks = c.tasks - r.tasks
FROM (SELECT project_id, status, count(*) AS tasks FROM removed GROUP BY project_id, status) r
WHERE c.project_id = r.project_id AND c.status = r.status
)sql"};

}  // namespace annolog::projections
