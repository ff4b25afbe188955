// The SQL of DeliveryStore. Constant data.
#pragma once

#include "projections/pg/connection.hpp"

namespace annolog::projections::delivery_sql {

inline constexpr Statement kForgetOtherLog{"webhook_positions_forget", R"sql(
WITH gone AS (DELETE FROM annolog.webhook_positions WHERE log_id <> $1::text RETURNING shard)
DELETE FROM annolog.webhook_deliveries WHERE EXISTS (SELECT FROM gone)
)sql"};
inline constexpr Statement kFirstPositions{"webhook_positions_first", R"sql(
INSERT INTO annolog.webhook_positions (shard, log_id, position)
SELECT shard, $3::text, position FROM unnest($1::integer[], $2::bigint[]) AS u(shard, position)
ON CONFLICT (shard) DO NOTHING
)sql"};
inline constexpr Statement kForgetBehindEnd{"webhook_deliveries_forget", R"sql(
WITH back AS (
  UPDATE annolog.webhook_positions p SET position = u.position
  FROM unnest($1::integer[], $2::bigint[]) AS u(shard, position)
  WHERE p.shard = u.shard AND p.position > u.position RETURNING p.shard, p.position)
DELETE FROM annolog.webhook_deliveries d USING back
WHERE d.shard = back.shard AND d.position > back.position
)sql"};
inline constexpr Statement kPositions{
    "webhook_positions_all",
    "SELECT shard::bigint, position FROM annolog.webhook_positions ORDER BY shard"};
inline constexpr Statement kPosition{
    "webhook_positions_one",
    "SELECT position FROM annolog.webhook_positions WHERE shard = $1::bigint"};
inline constexpr Statement kMove{"webhook_positions_move", R"sql(
UPDATE annolog.webhook_positions SET position = $3::bigint
WHERE shard = $1::bigint AND position = $2::bigint
)sql"};

// The last that waits in each lane; until the end of the transaction nobody ends it.
inline constexpr Statement kLockLanes{"webhook_lanes_lock", R"sql(
SELECT l.number FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS l(webhook_id, lane, number)
CROSS JOIN LATERAL (
  SELECT id FROM annolog.webhook_deliveries
  WHERE webhook_id = l.webhook_id AND lane = l.lane AND status = 'waiting'
  ORDER BY id DESC LIMIT 1 FOR UPDATE) last
)sql"};
inline constexpr Statement kInsert{"webhook_deliveries_insert", R"sql(
INSERT INTO annolog.webhook_deliveries (webhook_id, shard, position, part, project_id, event, lane,
  body, next_at_ms, activation, created_at_ms)
SELECT webhook_id, shard, position, part, project_id, event, lane, body, next_at_ms, activation,
  $11::bigint
FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::integer[], $5::bigint[], $6::text[],
  $7::text[], $8::text[], $9::bigint[], $10::bigint[])
  AS u(webhook_id, shard, position, part, project_id, event, lane, body, next_at_ms, activation)
ON CONFLICT (webhook_id, shard, position, part) DO NOTHING
)sql"};
// One that is done goes again, out of the order; one that waits for its next attempt goes now.
inline constexpr Statement kReplay{"webhook_deliveries_replay", R"sql(
UPDATE annolog.webhook_deliveries SET next_at_ms = $5::bigint, tries = 0, done_at_ms = NULL,
  lane = CASE WHEN status = 'waiting' THEN lane END, status = 'waiting'
WHERE webhook_id = $1::bigint AND shard = $2::bigint AND position = $3::bigint
  AND part = $4::bigint AND (status <> 'waiting' OR next_at_ms IS NOT NULL)
)sql"};
inline constexpr Statement kCancel{"webhook_deliveries_cancel", R"sql(
UPDATE annolog.webhook_deliveries SET status = 'cancelled', next_at_ms = NULL,
  done_at_ms = $2::bigint
WHERE webhook_id = $1::bigint AND status = 'waiting' AND activation < $3::bigint
)sql"};
// Behind kCancel: what was made since may have waited for what is over.
inline constexpr Statement kReleaseLanes{"webhook_deliveries_release_lanes", R"sql(
UPDATE annolog.webhook_deliveries d SET next_at_ms = $2::bigint
WHERE webhook_id = $1::bigint AND status = 'waiting' AND next_at_ms IS NULL AND NOT EXISTS (
  SELECT FROM annolog.webhook_deliveries e
  WHERE e.webhook_id = d.webhook_id AND e.lane = d.lane AND e.status = 'waiting' AND e.id < d.id)
)sql"};
inline constexpr Statement kCancelOfProject{"webhook_deliveries_cancel_project", R"sql(
UPDATE annolog.webhook_deliveries SET status = 'cancelled', next_at_ms = NULL,
  done_at_ms = $2::bigint
WHERE project_id = $1::bigint AND status = 'waiting'
)sql"};

inline constexpr Statement kClaim{"webhook_deliveries_claim", R"sql(
WITH due AS MATERIALIZED (
  SELECT d.id FROM unnest($1::bigint[], $2::bigint[]) AS h(webhook_id, most)
  CROSS JOIN LATERAL (
    SELECT id FROM annolog.webhook_deliveries
    WHERE webhook_id = h.webhook_id AND next_at_ms <= $3::bigint
    ORDER BY next_at_ms LIMIT h.most FOR UPDATE SKIP LOCKED) d
  LIMIT $4::bigint)
UPDATE annolog.webhook_deliveries t SET next_at_ms = $5::bigint FROM due WHERE t.id = due.id
RETURNING t.id, t.webhook_id, t.shard::bigint, t.position, t.part::bigint, t.event, t.body, t.tries
)sql"};
// Every attempt is told. What comes of the delivery is told where the lease still holds: not when
// somebody else has it, or it is to be replayed.
inline constexpr Statement kFinish{"webhook_deliveries_finish", R"sql(
WITH known AS (
  SELECT id, coalesce(status = 'waiting' AND next_at_ms = $2::bigint, false) AS held
  FROM annolog.webhook_deliveries WHERE id = $1::bigint FOR UPDATE),
ended AS (
  UPDATE annolog.webhook_deliveries d SET attempts = attempts + 1,
    tries = CASE WHEN k.held THEN tries + 1 ELSE tries END,
    status = CASE WHEN k.held AND $4::bigint IS NULL THEN $3::text ELSE status END,
    next_at_ms = CASE WHEN k.held THEN $4::bigint ELSE next_at_ms END,
    done_at_ms = CASE WHEN k.held AND $4::bigint IS NULL THEN $5::bigint ELSE done_at_ms END
  FROM known k WHERE d.id = k.id RETURNING d.id, d.webhook_id, d.attempts),
told AS (
  INSERT INTO annolog.webhook_attempts
  SELECT id, attempts, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::text FROM ended)
INSERT INTO annolog.webhook_health AS h (webhook_id, last_at_ms, last_status, failing_since_ms)
SELECT webhook_id, $5::bigint, $3::text, CASE WHEN $8::text IS NOT NULL THEN $5::bigint END
FROM ended
ON CONFLICT (webhook_id) DO UPDATE SET last_at_ms = $5::bigint, last_status = $3::text,
  failing_since_ms =
    CASE WHEN $8::text IS NOT NULL THEN coalesce(h.failing_since_ms, $5::bigint) END
)sql"};
// A statement of its own, after kFinish: it must see what was put behind the one that is done now.
inline constexpr Statement kRelease{"webhook_deliveries_release", R"sql(
UPDATE annolog.webhook_deliveries SET next_at_ms = $2::bigint
WHERE next_at_ms IS NULL AND status = 'waiting' AND id = (
  SELECT n.id FROM annolog.webhook_deliveries f CROSS JOIN LATERAL (
    SELECT id FROM annolog.webhook_deliveries
    WHERE webhook_id = f.webhook_id AND lane = f.lane AND status = 'waiting'
    ORDER BY id LIMIT 1) n
  WHERE f.id = $1::bigint AND f.status <> 'waiting')
)sql"};
inline constexpr Statement kGiveBack{"webhook_deliveries_give_back", R"sql(
UPDATE annolog.webhook_deliveries SET next_at_ms = $3::bigint
WHERE id = $1::bigint AND status = 'waiting' AND next_at_ms = $2::bigint
)sql"};
inline constexpr Statement kFailingSince{
    "webhook_health_failing",
    "SELECT failing_since_ms FROM annolog.webhook_health WHERE webhook_id = $1::bigint"};

inline constexpr Statement kRemoveDone{"webhook_deliveries_remove", R"sql(
DELETE FROM annolog.webhook_deliveries WHERE id = ANY (ARRAY(
  SELECT id FROM annolog.webhook_deliveries WHERE done_at_ms < $1::bigint
  ORDER BY done_at_ms LIMIT $2::bigint FOR UPDATE SKIP LOCKED))
)sql"};
inline constexpr Statement kWaiting{"webhook_deliveries_waiting", R"sql(
SELECT coalesce(sum(w.found), 0)::bigint, min(w.due) FROM unnest($1::bigint[]) AS h(webhook_id)
CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM (
            SELECT FROM annolog.webhook_deliveries
            WHERE webhook_id = h.webhook_id AND status = 'waiting' LIMIT $2::bigint) few) AS found,
         (SELECT next_at_ms FROM annolog.webhook_deliveries
            WHERE webhook_id = h.webhook_id AND next_at_ms IS NOT NULL
            ORDER BY next_at_ms LIMIT 1) AS due) w
)sql"};

}  // namespace annolog::projections::delivery_sql
