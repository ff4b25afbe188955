R"sql(
-- What was signed of the log and the audit rows (docs/decisions/0031). It lasts: a read model that
-- is built anew can't bring it back. Nothing here is altered or removed by the service, and the
-- trigger refuses it to whoever tries by hand.

CREATE TABLE annolog.signed_checkpoints (
  number    bigint PRIMARY KEY,
  at_ms     bigint NOT NULL,
  statement text NOT NULL,             -- byte for byte as signed
  key_id    text NOT NULL,
  signature text NOT NULL
);

-- The public halves of all keys that ever signed, since the keyring forgets old ones.
CREATE TABLE annolog.checkpoint_keys (
  key_id        text PRIMARY KEY,
  public_key    text NOT NULL,         -- base64url of 32 bytes
  first_used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION annolog.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is never altered', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER signed_checkpoints_stay
  BEFORE UPDATE OR DELETE OR TRUNCATE ON annolog.signed_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION annolog.refuse_change();
CREATE TRIGGER checkpoint_keys_stay
  BEFORE UPDATE OR DELETE OR TRUNCATE ON annolog.checkpoint_keys
  FOR EACH STATEMENT EXECUTE FUNCTION annolog.refuse_change();
)sql"
