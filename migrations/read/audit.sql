R"sql(
-- The audit: what was asked of the service, by whom, and what the answer was.
CREATE TABLE audit_rows (
  at_ms       bigint NOT NULL,
  id          bigint NOT NULL,         -- from the event's place in the log
  actor_id    bigint,                  -- null: nobody
  action      text NOT NULL,
  target_type text NOT NULL,
  target_id   bigint,
  project_id  bigint,
  status      bigint NOT NULL,
  schema_version bigint NOT NULL,
  data        text COMPRESSION lz4 NOT NULL,  -- the event's, byte by byte
  PRIMARY KEY (at_ms, id)
);
-- Batches that requests are about, or that calls about many named.
CREATE TABLE audit_batches (
  batch_id bigint NOT NULL,
  at_ms    bigint NOT NULL,
  id       bigint NOT NULL,
  PRIMARY KEY (batch_id, at_ms, id)
);
-- Seconds of time in which a shard has rows: where they end before any moment is looked up here.
CREATE TABLE audit_seconds (
  shard  bigint NOT NULL,
  second bigint NOT NULL,              -- since 1970
  PRIMARY KEY (shard, second)
);
-- Nobody changes the audit, not even its owner by mistake.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of the audit are never changed' USING ERRCODE = 'AN003';
END
$$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_batches_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_batches
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seconds_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seconds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit_rows, audit_batches, audit_seconds
  FROM CURRENT_USER, PUBLIC;
)sql"
