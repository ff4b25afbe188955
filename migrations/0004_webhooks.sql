R"sql(
-- What webhooks were told and what they still wait for: no fold of the log, so a rebuild leaves it.

-- How far each shard's events have become deliveries. Moves only together with them, and only from
-- where its dispatcher believes it to be.
CREATE TABLE annolog.webhook_positions (
  shard    integer PRIMARY KEY,
  log_id   text NOT NULL,              -- of the log it follows
  position bigint NOT NULL
);

-- `id` is given in the order of making. A delivery that waits is due at next_at_ms; while somebody
-- sends it, that is the end of the lease. It has none as long as an earlier one of its lane waits.
CREATE TABLE annolog.webhook_deliveries (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id     bigint NOT NULL,
  shard          integer NOT NULL,     -- of the event, with its place there
  position       bigint NOT NULL,
  part           integer NOT NULL,     -- one event may become several
  project_id     bigint,               -- the webhook's
  event          text NOT NULL,
  lane           text,                 -- what happens in its order, e.g. task/42; null: by itself
  body           text COMPRESSION lz4 NOT NULL,
  status         text NOT NULL DEFAULT 'waiting',
  tries          bigint NOT NULL DEFAULT 0,  -- since it was made or asked for anew
  attempts       bigint NOT NULL DEFAULT 0,  -- in all
  next_at_ms     bigint,
  created_at_ms  bigint NOT NULL,
  done_at_ms     bigint,
  UNIQUE (webhook_id, shard, position, part)
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_due ON annolog.webhook_deliveries (webhook_id, next_at_ms)
  WHERE next_at_ms IS NOT NULL;
CREATE INDEX webhook_deliveries_lane ON annolog.webhook_deliveries (webhook_id, lane, id)
  WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_project ON annolog.webhook_deliveries (project_id)
  WHERE status = 'waiting' AND project_id IS NOT NULL;
CREATE INDEX webhook_deliveries_page ON annolog.webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_status ON annolog.webhook_deliveries (webhook_id, status, id);
CREATE INDEX webhook_deliveries_event ON annolog.webhook_deliveries (webhook_id, event, id);
CREATE INDEX webhook_deliveries_done ON annolog.webhook_deliveries (done_at_ms)
  WHERE done_at_ms IS NOT NULL;

CREATE TABLE annolog.webhook_attempts (
  delivery    bigint NOT NULL
              REFERENCES annolog.webhook_deliveries (id) ON DELETE CASCADE,
  number      bigint NOT NULL,
  at_ms       bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status_code bigint,                  -- null: no answer
  error       text,                    -- null: it was taken
  response    text NOT NULL,           -- the beginning of it
  PRIMARY KEY (delivery, number)
);

-- Of each webhook: what came of the latest attempt, and since when nothing has been taken.
CREATE TABLE annolog.webhook_health (
  webhook_id       bigint PRIMARY KEY,
  last_at_ms       bigint NOT NULL,
  last_status      text NOT NULL,
  failing_since_ms bigint
) WITH (fillfactor = 50);
)sql"
