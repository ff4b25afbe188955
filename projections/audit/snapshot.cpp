#include "projections/audit/snapshot.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "projections/pg/connection.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr std::int64_t kStatementMs = 600'000;
constexpr std::int64_t kPageRows = 1000;

// Planned for the values it has: what is not asked for falls away, and the index fits the rest.
#define AUDIT_FILTERS                                      \
  "($1::bigint IS NULL OR a.actor_id = $1::bigint) "       \
  "AND ($2::text IS NULL OR a.action = $2::text) "         \
  "AND ($3::text IS NULL OR a.target_type = $3::text) "    \
  "AND ($4::bigint IS NULL OR a.target_id = $4::bigint) "  \
  "AND ($5::bigint IS NULL OR a.project_id = $5::bigint) " \
  "AND ($6::bigint IS NULL OR a.status = $6::bigint) "     \
  "AND a.at_ms >= $7::bigint AND a.at_ms < $8::bigint"

constexpr Statement kCount{"audit_snapshot_count",
                           "SELECT count(*) FROM (SELECT 1 FROM audit_rows a WHERE " AUDIT_FILTERS
                           " ORDER BY a.at_ms, a.id LIMIT $9::bigint) counted",
                           false};
constexpr Statement kFirst{"audit_snapshot_first",
                           "SELECT a.at_ms FROM audit_rows a WHERE " AUDIT_FILTERS
                           " ORDER BY a.at_ms, a.id LIMIT 1",
                           false};
constexpr Statement kRows{"audit_snapshot_rows",
                          "SELECT a.id, a.at_ms, a.data, "
                          "(SELECT u.email FROM users u WHERE u.id = a.actor_id) "
                          "FROM audit_rows a WHERE " AUDIT_FILTERS
                          " AND (a.at_ms, a.id) > ($9::bigint, $10::bigint) "
                          "ORDER BY a.at_ms, a.id LIMIT $11::bigint",
                          false};
// A shard's rows are in the order of its times, so the last before a moment ends those before it.
// It lies in the second of that moment, or else in the last one before.
#define LAST_BEFORE(moment)                                                                  \
  "(SELECT a.data FROM (SELECT q.second * 1000 AS begin_ms FROM audit_seconds q "            \
  "WHERE q.shard = s.shard AND q.second <= " moment                                          \
  " / 1000 "                                                                                 \
  "ORDER BY q.second DESC LIMIT 2) w "                                                       \
  "CROSS JOIN LATERAL (SELECT r.at_ms, r.id, r.data FROM audit_rows r "                      \
  "WHERE (r.id & 4095) = s.shard AND r.at_ms >= w.begin_ms AND r.at_ms < w.begin_ms + 1000 " \
  "AND r.at_ms < " moment                                                                    \
  " ORDER BY r.at_ms DESC, r.id DESC LIMIT 1) a ORDER BY a.at_ms DESC, a.id DESC LIMIT 1)"
constexpr Statement kHeads{
    "audit_snapshot_heads",
    "SELECT s.shard, l.data, b.data FROM generate_series(0, $1::bigint - 1) AS s(shard) "
    "CROSS JOIN LATERAL " LAST_BEFORE("$3::bigint") " l "
    "LEFT JOIN LATERAL " LAST_BEFORE("$2::bigint") " b ON true"};

struct Ends {
  std::int64_t shard = 0;
  std::string last;
  std::optional<std::string> before;
};

Ends read_ends(RowReader& row) {
  Ends ends;
  ends.shard = row.integer();
  ends.last = row.text();
  ends.before = row.optional_text();
  return ends;
}

std::int64_t number_of(const std::string& data) {
  return nlohmann::json::parse(data).at("number").get<std::int64_t>();
}

AuditRecord read_record(RowReader& row) {
  AuditRecord record;
  record.id = row.integer();
  record.at = row.time();
  record.data = row.text();
  record.actor_email = row.optional_text();
  return record;
}

}  // namespace

struct AuditSnapshot::Impl {
  std::unique_ptr<PgConnection> connection;
  AuditScope scope;
  Timestamp last_at{std::numeric_limits<std::int64_t>::min()};
  std::int64_t last_id = 0;

  std::int64_t from_ms() const {
    return scope.from.value_or(Timestamp{std::numeric_limits<std::int64_t>::min()}).ms;
  }
  std::int64_t to_ms() const {
    return scope.to.value_or(Timestamp{std::numeric_limits<std::int64_t>::max()}).ms;
  }
  Params filters() const {
    Params params;
    scope.actor_id ? params.add(scope.actor_id->value) : params.add_null();
    params.add(scope.action).add(scope.target_type).add(scope.target_id);
    scope.project_id ? params.add(scope.project_id->value) : params.add_null();
    params.add(scope.status_code).add(from_ms()).add(to_ms());
    return params;
  }
};

namespace {

template <class Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  }
}

}  // namespace

AuditSnapshot::AuditSnapshot(ReadPool& pool, AuditScope scope) : impl_(std::make_unique<Impl>()) {
  impl_->scope = std::move(scope);
  translated([&] {
    impl_->connection = pool.dedicated(kStatementMs);
    impl_->connection->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  });
}

AuditSnapshot::~AuditSnapshot() = default;

std::int64_t AuditSnapshot::count(std::int64_t most) {
  return translated([&] {
    Params params = impl_->filters();
    params.add(most);
    const Rows rows = impl_->connection->execute(kCount, params);
    return rows.row(0).integer();
  });
}

std::optional<Timestamp> AuditSnapshot::first_at() {
  return translated([&]() -> std::optional<Timestamp> {
    const auto found = fetch_on(*impl_->connection, kFirst, impl_->filters(),
                                [](RowReader& row) { return row.time(); });
    return found.empty() ? std::nullopt : std::optional(found.front());
  });
}

std::vector<AuditEnd> AuditSnapshot::heads(std::uint16_t shard_count) {
  return translated([&] {
    Params params;
    params.add(std::int64_t{shard_count}).add(impl_->from_ms()).add(impl_->to_ms());
    std::vector<AuditEnd> heads;
    for (const Ends& ends : fetch_on(*impl_->connection, kHeads, params, read_ends)) {
      const std::int64_t after = ends.before ? number_of(*ends.before) : 0;
      const std::int64_t number = number_of(ends.last);
      if (number == after) continue;
      heads.push_back({ends.shard, after, number,
                       platform::to_hex(platform::as_bytes_view(platform::sha256(ends.last)))});
    }
    return heads;
  });
}

std::vector<AuditRecord> AuditSnapshot::next() {
  return translated([&] {
    Params params = impl_->filters();
    params.add(impl_->last_at.ms).add(impl_->last_id).add(kPageRows);
    auto records = fetch_on(*impl_->connection, kRows, params, read_record);
    if (!records.empty()) {
      impl_->last_at = records.back().at;
      impl_->last_id = records.back().id;
    }
    return records;
  });
}

std::vector<Statement> audit_snapshot_statements() { return {kCount, kFirst, kRows, kHeads}; }

}  // namespace annolog::projections
