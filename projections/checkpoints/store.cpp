#include "projections/checkpoints/store.hpp"

#include <limits>

#include "projections/pg/connection.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr std::int64_t kAdvisoryLock = 0x616e6e6f63686b;  // "annochk"
constexpr std::int64_t kStatementMs = 30'000;

#define CHECKPOINT_COLUMNS "number, at_ms, statement, key_id, signature"

constexpr Statement kPage{"checkpoints_page", "SELECT " CHECKPOINT_COLUMNS
                                              " FROM annolog.signed_checkpoints WHERE number < "
                                              "$1::bigint ORDER BY number DESC LIMIT $2::bigint"};
constexpr Statement kBehind{"checkpoints_behind", "SELECT " CHECKPOINT_COLUMNS
                                                  " FROM annolog.signed_checkpoints WHERE number > "
                                                  "$1::bigint ORDER BY number LIMIT $2::bigint"};
constexpr Statement kOne{"checkpoints_one", "SELECT " CHECKPOINT_COLUMNS
                                            " FROM annolog.signed_checkpoints "
                                            "WHERE number = $1::bigint"};
constexpr Statement kNewest{"checkpoints_newest", "SELECT " CHECKPOINT_COLUMNS
                                                  " FROM annolog.signed_checkpoints "
                                                  "ORDER BY number DESC LIMIT 1"};
// A key for each time they were rotated: a handful.
constexpr Statement kKeys{"checkpoint_keys_all", R"sql(
SELECT key_id, public_key FROM annolog.checkpoint_keys
ORDER BY first_used_at DESC, key_id LIMIT 1000
)sql"};
constexpr Statement kLock{"checkpoints_lock", "SELECT pg_try_advisory_xact_lock($1::bigint)"};
constexpr Statement kInsert{"checkpoints_insert", R"sql(
INSERT INTO annolog.signed_checkpoints (number, at_ms, statement, key_id, signature)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text)
)sql"};
constexpr Statement kPutBack{"checkpoints_put_back", R"sql(
INSERT INTO annolog.signed_checkpoints (number, at_ms, statement, key_id, signature)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text) ON CONFLICT DO NOTHING
)sql"};
constexpr Statement kInsertKey{"checkpoint_keys_insert", R"sql(
INSERT INTO annolog.checkpoint_keys (key_id, public_key) VALUES ($1::text, $2::text)
ON CONFLICT DO NOTHING
)sql"};

StoredCheckpoint read_checkpoint(RowReader& row) {
  StoredCheckpoint read;
  read.number = row.integer();
  read.at = row.time();
  read.statement = row.text();
  read.key_id = row.text();
  read.signature = row.text();
  return read;
}

Params params_of(const StoredCheckpoint& row) {
  return Params()
      .add(row.number)
      .add(row.at.ms)
      .add(row.statement)
      .add(row.key_id)
      .add(row.signature);
}

}  // namespace

Page<StoredCheckpoint, CheckpointNumber> CheckpointQueries::page(
    std::optional<CheckpointNumber> before, std::int64_t limit) const {
  constexpr CheckpointNumber kBehindAll{std::numeric_limits<std::int64_t>::max()};
  Params params;
  params.add(before.value_or(kBehindAll).value).add(limit + 1);
  return make_page(fetch_all(*pool_, kPage, params, read_checkpoint), limit,
                   [](const StoredCheckpoint& last) { return CheckpointNumber{last.number}; });
}

std::optional<StoredCheckpoint> CheckpointQueries::find(std::int64_t number) const {
  return fetch_one(*pool_, kOne, Params().add(number), read_checkpoint);
}

std::vector<StoredCheckpoint> CheckpointQueries::behind(std::int64_t number,
                                                        std::int64_t limit) const {
  return fetch_all(*pool_, kBehind, Params().add(number).add(limit), read_checkpoint);
}

std::vector<StoredKey> CheckpointQueries::keys() const {
  return fetch_all(*pool_, kKeys, Params{}, [](RowReader& row) {
    StoredKey key;
    key.key_id = row.text();
    key.public_key = row.text();
    return key;
  });
}

bool CheckpointStore::add(
    const std::function<std::optional<Made>(const std::optional<StoredCheckpoint>&)>& make) {
  try {
    // Its own connection, once a minute: what is cut off leaves neither lock nor row.
    const auto connection = pool_->dedicated(kStatementMs);
    connection->run("BEGIN");
    // A transaction that only its connection ends keeps the lock until the server has seen that.
    const auto ended = [&](bool had_lock) {
      connection->run("ROLLBACK");
      return had_lock;
    };
    if (!connection->execute(kLock, Params().add(kAdvisoryLock)).row(0).boolean())
      return ended(false);
    std::optional<Made> made;
    try {
      auto newest = fetch_on(*connection, kNewest, Params{}, read_checkpoint);
      made = make(newest.empty() ? std::nullopt : std::optional(std::move(newest.front())));
    } catch (...) {
      ended(true);
      throw;
    }
    if (!made) return ended(true);
    const StoredCheckpoint& row = made->checkpoint;
    connection->execute(kInsertKey, Params().add(made->key.key_id).add(made->key.public_key));
    connection->execute(kInsert, params_of(row));
    connection->run("COMMIT");
    return true;
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  }
}

void CheckpointStore::put_back(const std::vector<StoredCheckpoint>& lost) {
  try {
    const auto connection = pool_->dedicated(kStatementMs);
    connection->run("BEGIN");
    for (const StoredCheckpoint& row : lost) connection->execute(kPutBack, params_of(row));
    connection->run("COMMIT");
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  }
}

std::vector<Statement> checkpoint_statements() { return {kPage, kBehind, kOne, kNewest, kKeys}; }

}  // namespace annolog::projections
