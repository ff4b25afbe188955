R"sql(
-- Who is told of what happens; what they were told lies beside the read models (0004_webhooks.sql).
CREATE TABLE webhooks (
  id                bigint PRIMARY KEY,
  project_id        bigint,            -- null: of all projects
  log_offset        bigint NOT NULL,   -- since when it is active: a place in its own shard,
  active_since_ms   bigint NOT NULL,   -- and a time, for the other shards
  name              text NOT NULL,
  url               text NOT NULL,
  events            text NOT NULL,     -- JSON array of names and patterns
  is_active         boolean NOT NULL,
  nonce             text NOT NULL,     -- what the secret is made from; says nothing without the key
  previous_nonce    text,
  previous_until_ms bigint,
  created_by        bigint NOT NULL,
  version           bigint NOT NULL,
  created_at_ms     bigint NOT NULL,
  updated_at_ms     bigint NOT NULL,
  disabled_at_ms    bigint,
  disabled_reason   text
);
)sql"
