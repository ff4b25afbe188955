R"sql(
-- Asynchronous jobs; those over for thirty days are purged.
CREATE TABLE async_jobs (
  id              bigint PRIMARY KEY,
  kind            text NOT NULL,
  project_id      bigint,
  user_id         bigint NOT NULL,
  status          text NOT NULL,
  progress_pct    bigint NOT NULL,
  payload         text NOT NULL,
  result          text NOT NULL,
  error_message   text,
  claim           bigint NOT NULL,
  worker          text NOT NULL,
  lease_until_ms  bigint,
  started_at_ms   bigint,
  completed_at_ms bigint,
  created_at_ms   bigint NOT NULL,
  updated_at_ms   bigint NOT NULL
) WITH (fillfactor = 50);
)sql"
