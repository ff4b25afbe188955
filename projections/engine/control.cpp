#include "projections/engine/control.hpp"

#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "projections/engine/rebuild.hpp"

namespace annolog::projections {
namespace {

constexpr const char kTables[] =
#include "migrations/read/audit.sql"
#include "migrations/read/jobs.sql"
#include "migrations/read/notifications.sql"
#include "migrations/read/tables.sql"
#include "migrations/read/webhooks.sql"
    ;

constexpr const char kIndexes[] =
#include "migrations/read/indexes.sql"
    ;

constexpr Statement kLoadControl{"control_load", R"sql(
SELECT generation, version, definition, log_id FROM annolog.read_models
)sql"};

constexpr Statement kLockControl{"control_lock", R"sql(
SELECT generation, version, definition, log_id FROM annolog.read_models FOR UPDATE
)sql"};

constexpr Statement kBindLog{"control_bind_log", R"sql(
UPDATE annolog.read_models SET log_id = $1::text WHERE log_id IS NULL
)sql"};

constexpr Statement kMakePositions{"checkpoints_make", R"sql(
INSERT INTO annolog.checkpoints (generation, shard, position)
SELECT $1::bigint, shard, 0 FROM generate_series(0, $2::bigint - 1) AS shard
ON CONFLICT DO NOTHING
)sql"};

constexpr Statement kLoadPositions{"checkpoints_load", R"sql(
SELECT shard, position FROM annolog.checkpoints WHERE generation = $1::bigint ORDER BY shard
)sql"};

constexpr Statement kLoadParked{"parked_load", R"sql(
SELECT DISTINCT subject FROM annolog.parked_events WHERE generation = $1::bigint
)sql"};

constexpr Statement kFirstControl{"control_first", R"sql(
INSERT INTO annolog.read_models (generation, version, definition)
VALUES (1, $1::bigint, $2::text)
)sql"};

Control read_control(const Rows& rows) {
  auto row = rows.row(0);
  Control control;
  control.generation = row.integer();
  control.version = row.integer();
  control.definition = row.text();
  control.log_id = row.optional_text();
  return control;
}

}  // namespace

const Statement kAdvanceCheckpoints{"checkpoints_advance", R"sql(
SELECT annolog.advance_checkpoints($1::bigint, $2::integer[], $3::bigint[], $4::bigint[])
)sql"};

const Statement kParkEvents{"parked_insert", R"sql(
INSERT INTO annolog.parked_events (generation, shard, position, type, subject, error)
SELECT $1::bigint, u.* FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::text[], $6::text[])
  AS u(shard, position, type, subject, error)
)sql"};

bool is_behind(const Positions& positions, const Positions& others) {
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (positions.at(i) < others[i]) return true;
  }
  return false;
}

std::optional<Control> load_control(PgConnection& connection) {
  const Rows rows = connection.execute(kLoadControl);
  return rows.empty() ? std::nullopt : std::optional(read_control(rows));
}

Control lock_control(PgConnection& connection) {
  const Rows rows = connection.execute(kLockControl);
  if (rows.empty()) throw std::runtime_error("the database has no read models: migrate it first");
  return read_control(rows);
}

void bind_log(PgConnection& connection, const std::string& log_id) {
  connection.execute(kBindLog, Params().add(log_id));
}

Positions load_positions(PgConnection& connection, std::int64_t generation,
                         std::uint16_t shard_count) {
  connection.execute(kMakePositions, Params().add(generation).add(std::int64_t{shard_count}));
  const Rows rows = connection.execute(kLoadPositions, Params().add(generation));
  Positions positions(shard_count);
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    const auto shard = static_cast<std::size_t>(row.integer());
    if (shard >= positions.size()) {
      throw std::runtime_error("the read models follow a log of more shards than this one has");
    }
    positions[shard] = eventstore::Offset{static_cast<std::uint64_t>(row.integer())};
  }
  return positions;
}

std::unordered_set<std::string> load_parked_subjects(PgConnection& connection,
                                                     std::int64_t generation) {
  std::unordered_set<std::string> subjects;
  const Rows rows = connection.execute(kLoadParked, Params().add(generation));
  for (int i = 0; i < rows.size(); ++i) subjects.insert(rows.row(i).text());
  return subjects;
}

std::string read_schema_tables() { return kTables; }
std::string read_schema_indexes() { return kIndexes; }

std::string read_schema_definition() {
  platform::Sha256 hash;
  hash.update(kTables);
  hash.update(kIndexes);
  return platform::to_hex(platform::as_bytes_view(hash.finish()));
}

void ensure_live_schema(PgConnection& connection) {
  if (load_control(connection)) return;
  connection.run("BEGIN");
  connection.run(std::string("CREATE SCHEMA ") + kLiveSchema +
                 "; SET LOCAL search_path = " + kLiveSchema);
  connection.run(kTables);
  connection.run(kIndexes);
  connection.execute(kFirstControl, Params().add(kReadModelVersion).add(read_schema_definition()));
  connection.run("COMMIT");
}

}  // namespace annolog::projections
