R"sql(
-- What lasts: where the read models stand and what could not be applied. Everything that can be
-- rebuilt from the log lies in schemas of its own (migrations/read/).

-- The one row that says which log the read models follow and which generation of them is live.
-- Live rows lie in the schema read_live; a rebuild fills read_building and renames the two.
CREATE TABLE annolog.read_models (
  singleton           boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  generation          bigint NOT NULL,   -- of the live schema
  building_generation bigint,            -- of a rebuild under way
  version             bigint NOT NULL,   -- of the projections that filled the live schema
  definition          text NOT NULL,     -- SHA-256 of the SQL that made the live schema
  log_id              text               -- of the log it follows; null: no event applied yet
);

CREATE TABLE annolog.checkpoints (
  generation bigint NOT NULL,
  shard      integer NOT NULL,
  position   bigint NOT NULL,            -- offset of the last record applied
  PRIMARY KEY (generation, shard)
) WITH (fillfactor = 50);

-- Records that could not be applied, and those that follow them for the same subject.
CREATE TABLE annolog.parked_events (
  generation bigint NOT NULL,
  shard      integer NOT NULL,
  position   bigint NOT NULL,
  type       text NOT NULL,
  subject    text NOT NULL,
  error      text NOT NULL,
  parked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (generation, shard, position)
);

-- First statement of every batch: moves the checkpoints from where the projector believes them to
-- be, or refuses. The shared lock on the control row makes a batch and a swap exclude each other.
CREATE FUNCTION annolog.advance_checkpoints(
  expected_generation bigint, shards integer[], expected bigint[], reached bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  PERFORM 1 FROM annolog.read_models
    WHERE generation = expected_generation OR building_generation = expected_generation
    FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'read model generation % is not there any more', expected_generation
      USING ERRCODE = 'AN001';
  END IF;
  UPDATE annolog.checkpoints c SET position = u.reached
    FROM unnest(shards, expected, reached) AS u(shard, expected, reached)
    WHERE c.generation = expected_generation AND c.shard = u.shard AND c.position = u.expected;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(shards) THEN
    RAISE EXCEPTION 'another projector has moved the checkpoints of generation %',
      expected_generation USING ERRCODE = 'AN002';
  END IF;
END
$$;
)sql"
