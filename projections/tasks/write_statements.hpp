// The statements that write tasks and their counters; for tasks/projection.cpp only.
#pragma once

#include "projections/pg/connection.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {

inline constexpr InsertInto kInsertTasks{{"tasks_insert", R"sql(
INSERT INTO tasks (id, project_id, number, dataset_id, dataset_item_id, file_name, file_path,
  image_width, image_height, status, assignee_id, reviewer_id, lock_user_id, lock_expires_at_ms,
  reject_reason_type, reject_reason, submitted_at_ms, reviewed_at_ms, skipped_at_ms, reopened_count,
  annotation_count, version, created_at_ms, updated_at_ms)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[],
  $13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::bigint[], $18::bigint[],
  $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[])
)sql"},
                                         R"sql(
COPY tasks (id, project_id, number, dataset_id, dataset_item_id, file_name, file_path,
  image_width, image_height, status, assignee_id, reviewer_id, lock_user_id, lock_expires_at_ms,
  reject_reason_type, reject_reason, submitted_at_ms, reviewed_at_ms, skipped_at_ms, reopened_count,
  annotation_count, version, created_at_ms, updated_at_ms)
FROM STDIN (FORMAT binary)
)sql"};

inline constexpr InsertInto kInsertTaskNames{{"task_names_insert", R"sql(
INSERT INTO task_names (task_id, project_id, number, file_name)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])
)sql"},
                                             R"sql(
COPY task_names (task_id, project_id, number, file_name) FROM STDIN (FORMAT binary)
)sql"};

inline constexpr Statement kCountTasks{"task_counts_add", R"sql(
INSERT INTO task_counts (project_id, status, tasks)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
ON CONFLICT (project_id, status) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks
)sql"};

inline constexpr Statement kCountAssigned{"assignee_task_counts_add", R"sql(
INSERT INTO assignee_task_counts (assignee_id, project_id, status, tasks)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
ON CONFLICT (assignee_id, project_id, status)
  DO UPDATE SET tasks = assignee_task_counts.tasks + excluded.tasks
)sql"};

inline constexpr Statement kCountDatasetTasks{"dataset_task_counts_add", R"sql(
INSERT INTO dataset_task_counts (project_id, dataset_id, tasks)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
ON CONFLICT (project_id, dataset_id)
  DO UPDATE SET tasks = dataset_task_counts.tasks + excluded.tasks
)sql"};

inline constexpr Statement kCountUnclassified{"unclassified_counts_add", R"sql(
INSERT INTO unclassified_counts (project_id, tasks)
SELECT * FROM unnest($1::bigint[], $2::bigint[])
ON CONFLICT (project_id) DO UPDATE SET tasks = unclassified_counts.tasks + excluded.tasks
)sql"};

// The counters move by what the rows were and have become, all in one statement: what follows a
// `WITH changed AS (UPDATE tasks … RETURNING project_id, old_batch, batch, old_status, status,
// old_assignee, assignee_id)`.
#define TASK_MOVES                                                                                \
  "), moves AS ("                                                                                 \
  "SELECT project_id, old_batch AS batch, old_status AS status, -1 AS step FROM changed "         \
  "WHERE old_status <> status OR old_batch IS DISTINCT FROM batch "                               \
  "UNION ALL SELECT project_id, batch, status, 1 FROM changed "                                   \
  "WHERE old_status <> status OR old_batch IS DISTINCT FROM batch), "                             \
  "of_batches AS (UPDATE batches b SET pending = b.pending + m.pending, "                         \
  "assigned = b.assigned + m.assigned, in_progress = b.in_progress + m.in_progress, "             \
  "submitted = b.submitted + m.submitted, review = b.review + m.review, "                         \
  "rejected = b.rejected + m.rejected, completed = b.completed + m.completed FROM ("              \
  "SELECT batch, sum(CASE status WHEN 'pending' THEN step ELSE 0 END) AS pending, "               \
  "sum(CASE status WHEN 'assigned' THEN step ELSE 0 END) AS assigned, "                           \
  "sum(CASE status WHEN 'in_progress' THEN step ELSE 0 END) AS in_progress, "                     \
  "sum(CASE status WHEN 'submitted' THEN step ELSE 0 END) AS submitted, "                         \
  "sum(CASE status WHEN 'review' THEN step ELSE 0 END) AS review, "                               \
  "sum(CASE status WHEN 'rejected' THEN step ELSE 0 END) AS rejected, "                           \
  "sum(CASE status WHEN 'completed' THEN step ELSE 0 END) AS completed "                          \
  "FROM moves WHERE batch IS NOT NULL GROUP BY batch) m WHERE b.id = m.batch), "                  \
  "handed AS (SELECT * FROM changed "                                                             \
  "WHERE old_status <> status OR old_assignee IS DISTINCT FROM assignee_id), "                    \
  "of_assignees AS (INSERT INTO assignee_task_counts (assignee_id, project_id, status, tasks) "   \
  "SELECT assignee_id, project_id, status, sum(step) FROM ("                                      \
  "SELECT old_assignee AS assignee_id, project_id, old_status AS status, -1 AS step FROM handed " \
  "WHERE old_assignee IS NOT NULL UNION ALL "                                                     \
  "SELECT assignee_id, project_id, status, 1 FROM handed WHERE assignee_id IS NOT NULL) steps "   \
  "GROUP BY assignee_id, project_id, status HAVING sum(step) <> 0 "                               \
  "ON CONFLICT (assignee_id, project_id, status) "                                                \
  "DO UPDATE SET tasks = assignee_task_counts.tasks + excluded.tasks) "                           \
  "INSERT INTO task_counts (project_id, status, tasks) "                                          \
  "SELECT project_id, status, sum(step) FROM moves GROUP BY project_id, status "                  \
  "ON CONFLICT (project_id, status) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks"

inline constexpr Statement kChangeTasks{"tasks_change", R"sql(
WITH changed AS (
  UPDATE tasks t SET
    status = coalesce(u.status, t.status),
    assignee_id = coalesce(u.assignee, CASE WHEN NOT u.assignee_cleared THEN t.assignee_id END,
                           u.assignee_if_none),
    reviewer_id = coalesce(u.reviewer, t.reviewer_id),
    lock_user_id = CASE WHEN u.lock_changed THEN u.lock_user ELSE t.lock_user_id END,
    lock_expires_at_ms =
      CASE WHEN u.lock_changed THEN u.lock_expires_at_ms ELSE t.lock_expires_at_ms END,
    reject_reason_type = CASE WHEN u.reason_changed THEN u.reason_type
                              ELSE t.reject_reason_type END,
    reject_reason = CASE WHEN u.reason_changed THEN u.reason ELSE t.reject_reason END,
    submitted_at_ms = coalesce(u.submitted_at_ms, t.submitted_at_ms),
    skipped_at_ms = coalesce(u.skipped_at_ms,
                             CASE WHEN u.submitted_at_ms IS NULL THEN t.skipped_at_ms END),
    reviewed_at_ms = coalesce(u.reviewed_at_ms, t.reviewed_at_ms),
    image_width = coalesce(u.image_width, t.image_width),
    image_height = coalesce(u.image_height, t.image_height),
    reopened_count = t.reopened_count + u.reopened,
    annotation_count = t.annotation_count + u.annotations,
    version = t.version + u.versions,
    updated_at_ms = coalesce(u.updated_at_ms, t.updated_at_ms)
  FROM (
    SELECT n.*, old.status AS old_status, old.assignee_id AS old_assignee
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[], $5::bigint[], $6::bigint[],
      $7::boolean[], $8::bigint[], $9::bigint[], $10::boolean[], $11::text[], $12::text[],
      $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[],
      $19::bigint[], $20::bigint[], $21::bigint[])
      AS n(id, status, assignee, assignee_cleared, assignee_if_none, reviewer, lock_changed,
        lock_user, lock_expires_at_ms, reason_changed, reason_type, reason, submitted_at_ms,
        skipped_at_ms, reviewed_at_ms, reopened, annotations, versions, updated_at_ms, image_width,
        image_height)
    JOIN tasks old ON old.id = n.id) u
  WHERE t.id = u.id
  RETURNING t.project_id, t.batch_id AS old_batch, t.batch_id AS batch, u.old_status, t.status,
    u.old_assignee, t.assignee_id
)sql" TASK_MOVES};

}  // namespace annolog::projections
