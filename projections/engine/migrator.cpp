#include "projections/engine/migrator.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "projections/engine/control.hpp"

namespace annolog::projections {
namespace {

constexpr const char kControl[] =
#include "migrations/0001_control.sql"
    ;
constexpr const char kSignIn[] =
#include "migrations/0002_sign_in.sql"
    ;

constexpr const char kExtensions[] =
#include "migrations/0003_extensions.sql"
    ;

constexpr const char kWebhooks[] =
#include "migrations/0004_webhooks.sql"
    ;

constexpr const char kCheckpoints[] =
#include "migrations/0005_checkpoints.sql"
    ;

constexpr const char kWebhookActivation[] =
#include "migrations/0006_webhook_activation.sql"
    ;

constexpr std::int64_t kAdvisoryLock = 0x616e6e6f6c6f67;  // "annolog"

constexpr Statement kLock{"migrations_lock", "SELECT pg_advisory_lock($1::bigint)"};
constexpr Statement kUnlock{"migrations_unlock", "SELECT pg_advisory_unlock($1::bigint)"};
constexpr Statement kApplied{"migrations_applied",
                             "SELECT number, name, checksum FROM annolog.schema_migrations"};
constexpr Statement kRecord{"migrations_record", R"sql(
INSERT INTO annolog.schema_migrations (number, name, checksum)
VALUES ($1::bigint, $2::text, $3::text)
)sql"};

constexpr const char kOwnTables[] = R"sql(
CREATE SCHEMA IF NOT EXISTS annolog;
CREATE TABLE IF NOT EXISTS annolog.schema_migrations (
  number     bigint PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
)sql";

std::string checksum_of(const Migration& migration) {
  return platform::to_hex(platform::as_bytes_view(platform::sha256(migration.sql)));
}

struct Applied {
  std::string name;
  std::string checksum;
};

std::map<std::int64_t, Applied> load_applied(PgConnection& connection) {
  std::map<std::int64_t, Applied> applied;
  const Rows rows = connection.execute(kApplied);
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    const std::int64_t number = row.integer();
    std::string name = row.text();
    applied[number] = {std::move(name), row.text()};
  }
  return applied;
}

void check_applied(const std::map<std::int64_t, Applied>& applied,
                   const std::vector<Migration>& known) {
  for (const auto& [number, there] : applied) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Migration& m) { return m.number == number; });
    if (found == known.end()) {
      throw MigrationRefused("the database has migration " + there.name +
                             ", which this program does not know: it is too old for it");
    }
    if (checksum_of(*found) != there.checksum) {
      throw MigrationRefused("migration " + there.name +
                             " was applied with another text than this program has");
    }
  }
}

void apply(PgConnection& connection, const Migration& migration) {
  connection.run("BEGIN");
  connection.run(migration.sql);
  connection.execute(
      kRecord, Params().add(migration.number).add(migration.name).add(checksum_of(migration)));
  connection.run("COMMIT");
}

}  // namespace

std::vector<Migration> embedded_migrations() {
  return {{1, "0001_control.sql", kControl},
          {2, "0002_sign_in.sql", kSignIn},
          {3, "0003_extensions.sql", kExtensions},
          {4, "0004_webhooks.sql", kWebhooks},
          {5, "0005_checkpoints.sql", kCheckpoints},
          {6, "0006_webhook_activation.sql", kWebhookActivation}};
}

Migrator::Migrator(std::string database_url, std::vector<Migration> migrations)
    : database_url_(std::move(database_url)), migrations_(std::move(migrations)) {
  std::sort(migrations_.begin(), migrations_.end(),
            [](const Migration& a, const Migration& b) { return a.number < b.number; });
}

MigrationReport Migrator::run(std::int64_t lock_wait_ms) {
  PgConnection connection({.database_url = database_url_,
                           .application_name = "annolog-migrate",
                           .search_path = "pg_catalog",
                           .connect_ms = 10'000,
                           .statement_ms = lock_wait_ms,
                           .read_only = false});
  // Held by the session: it ends with the connection, whatever happens.
  connection.execute(kLock, Params().add(kAdvisoryLock));
  connection.run("SET statement_timeout = 0");
  connection.run(kOwnTables);
  const auto applied = load_applied(connection);
  check_applied(applied, migrations_);
  MigrationReport report;
  for (const Migration& migration : migrations_) {
    report.schema_number = migration.number;
    if (applied.contains(migration.number)) continue;
    if (!applied.empty() && migration.number < applied.rbegin()->first) {
      throw MigrationRefused("migration " + migration.name +
                             " is missing from the database though later ones are there");
    }
    apply(connection, migration);
    report.applied.push_back(migration.name);
  }
  ensure_live_schema(connection);
  connection.execute(kUnlock, Params().add(kAdvisoryLock));
  return report;
}

}  // namespace annolog::projections
