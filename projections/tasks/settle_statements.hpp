// The statements by which a change of batches' people reaches their tasks. Equal to caught_up in
// domain/batch/state.cpp: a later change covers an earlier one, so several are taken in as one.
#pragma once

#include "projections/tasks/batch_statements.hpp"

namespace annolog::projections {

// By batch: $1 batches, $2 shards, $3 projects, $4 annotators, $5 reviewers, $6 annotator changed,
// $7 reviewer changed, $8 times
inline constexpr Statement kUnsettleBatches{"unsettled_batches_add", R"sql(
INSERT INTO unsettled_batches AS u (batch_id, shard, project_id, annotator_id, reviewer_id,
  annotator_changed, reviewer_changed, changed_at_ms, changes)
SELECT *, 1 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::boolean[], $7::boolean[], $8::bigint[])
ON CONFLICT (batch_id) DO UPDATE SET
  annotator_id = CASE WHEN excluded.annotator_changed THEN excluded.annotator_id
                      ELSE u.annotator_id END,
  reviewer_id = CASE WHEN excluded.reviewer_changed THEN excluded.reviewer_id
                     ELSE u.reviewer_id END,
  annotator_changed = u.annotator_changed OR excluded.annotator_changed,
  reviewer_changed = u.reviewer_changed OR excluded.reviewer_changed,
  changed_at_ms = excluded.changed_at_ms,
  changes = u.changes + 1
)sql"};

// `due`: the rows of unsettled_batches; `which`: a condition on their tasks, `old`.
#define SETTLE_TASKS(due, which)                                                                 \
  "WITH due AS (" due                                                                            \
  "), changed AS (UPDATE tasks t SET "                                                           \
  "assignee_id = CASE WHEN old.annotator_changed THEN old.annotator_id ELSE t.assignee_id END, " \
  "status = CASE WHEN NOT (old.annotator_changed AND " IS_UNTOUCHED                              \
  ") THEN t.status "                                                                             \
  "WHEN old.annotator_id IS NULL THEN 'pending' ELSE 'assigned' END, "                           \
  "reviewer_id = CASE WHEN old.reviewer_changed THEN old.new_reviewer ELSE t.reviewer_id END, "  \
  "lock_user_id = CASE WHEN NOT old.frees THEN t.lock_user_id END, "                             \
  "lock_expires_at_ms = CASE WHEN NOT old.frees THEN t.lock_expires_at_ms END, "                 \
  "version = t.version + old.changes, updated_at_ms = old.changed_at_ms "                        \
  "FROM (SELECT old.id, old.status, old.assignee_id, n.annotator_id, "                           \
  "n.reviewer_id AS new_reviewer, n.annotator_changed, n.reviewer_changed, n.changes, "          \
  "n.changed_at_ms, CASE WHEN " IS_OPEN                                                          \
  " THEN n.annotator_changed ELSE n.reviewer_changed END AS frees "                              \
  "FROM due n JOIN tasks old ON old.batch_id = n.batch_id AND " which                            \
  " AND old.status <> 'completed') old "                                                         \
  "WHERE t.id = old.id RETURNING t.project_id, t.batch_id AS old_batch, t.batch_id AS batch, "   \
  "old.status AS old_status, t.status, old.assignee_id AS old_assignee, "                        \
  "t.assignee_id" TASK_MOVES

// `which`: a condition on unsettled_batches u. What is left of them.
#define SETTLE(which)                                                           \
  SETTLE_TASKS("DELETE FROM unsettled_batches u WHERE " which " RETURNING u.*", \
               "old.id > n.settled_to")

// $1 batches
inline constexpr Statement kSettleBatches{"batches_settle",
                                          SETTLE("u.batch_id = ANY($1::bigint[])")};
// Those of $1 batches that are settled in part: one more change could not be counted for the rest.
inline constexpr Statement kSettleBegunBatches{
    "batches_settle_begun", SETTLE("u.batch_id = ANY($1::bigint[]) AND u.settled_to > 0")};
inline constexpr Statement kSettleAllBatches{"batches_settle_all", SETTLE("true")};
// Of batch $1 the last of the next $3 tasks that take a change in, after task $2, and how many they
// are.
inline constexpr Statement kTasksToSettle{"batches_settle_next", R"sql(
SELECT coalesce(max(id), 0), count(*) FROM (SELECT id FROM tasks
  WHERE batch_id = $1::bigint AND id > $2::bigint AND status <> 'completed'
  ORDER BY id LIMIT $3::bigint) next
)sql"};
// Of batch $1 the tasks after $2, where it was settled to, up to $3.
inline constexpr Statement kSettlePart{
    "batches_settle_part",
    SETTLE_TASKS("UPDATE unsettled_batches u SET settled_to = $3::bigint WHERE u.batch_id = "
                 "$1::bigint AND u.settled_to = $2::bigint RETURNING u.*",
                 "old.id > $2::bigint AND old.id <= $3::bigint")};
// Of $1 batches the first that have at most $2 tasks together.
inline constexpr Statement kSettleFewTasks{
    "batches_settle_few",
    SETTLE("u.batch_id IN (SELECT id FROM (SELECT b.id, sum(b.pending + b.assigned + b.in_progress "
           "+ b.submitted + b.review + b.rejected + b.completed) OVER (ORDER BY b.id) AS tasks "
           "FROM batches b WHERE b.id = ANY($1::bigint[])) few WHERE tasks <= $2::bigint)")};
// $1 tasks: the batches that they are in
inline constexpr Statement kSettleBatchesOf{
    "batches_settle_of_tasks",
    SETTLE("u.batch_id IN (SELECT batch_id FROM tasks WHERE id = ANY($1::bigint[]))")};

}  // namespace annolog::projections
