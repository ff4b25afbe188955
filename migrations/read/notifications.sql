R"sql(
-- What people are told of: a row an event and person. `id` is the event's place in the log, `shard`
-- its lowest twelve bits: in a shard, ids are in the order of the events. docs/decisions/0027.
CREATE TABLE notifications (
  user_id       bigint NOT NULL,
  shard         bigint NOT NULL,
  id            bigint NOT NULL,
  type          text NOT NULL,
  target_id     bigint NOT NULL,
  project_id    bigint,                -- null: it belongs to none
  task_id       bigint,
  batch_id      bigint,
  actor_id      bigint NOT NULL,       -- 0: the service itself
  reason_type   text,
  reason        text,
  created_at_ms bigint NOT NULL,
  unread        boolean NOT NULL,
  read_at_ms    bigint,
  PRIMARY KEY (user_id, shard, id)
);

-- Unread ones, so that no request counts them.
CREATE TABLE notification_counts (
  user_id bigint NOT NULL,
  type    text NOT NULL,
  unread  bigint NOT NULL,
  PRIMARY KEY (user_id, type)
) WITH (fillfactor = 50);

-- Types that somebody does not want to be told of.
CREATE TABLE muted_notifications (
  user_id bigint NOT NULL,
  type    text NOT NULL,
  PRIMARY KEY (user_id, type)
);

-- What was marked as read, by the mark's place in the directory's shard, for rows whose own shard
-- is applied later: in a rebuild, or after PostgreSQL lost its last commits.
CREATE TABLE early_notification_reads (
  user_id    bigint NOT NULL,
  id         bigint NOT NULL,
  log_offset bigint NOT NULL,
  at_ms      bigint NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE TABLE notification_all_reads (
  user_id    bigint NOT NULL,
  shard      bigint NOT NULL,
  up_to      bigint NOT NULL,          -- the last id that it marked in the shard
  log_offset bigint NOT NULL,
  at_ms      bigint NOT NULL,
  PRIMARY KEY (user_id, shard, up_to)
);
)sql"
