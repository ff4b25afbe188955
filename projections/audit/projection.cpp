#include "projections/audit/projection.hpp"

#include <algorithm>
#include <set>

#include "projections/engine/event_id.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr InsertInto kInsert{{"audit_insert", R"sql(
INSERT INTO audit_rows (at_ms, id, actor_id, action, target_type, target_id, project_id, status,
  schema_version, data)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[],
  $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[])
)sql"},
                             R"sql(
COPY audit_rows (at_ms, id, actor_id, action, target_type, target_id, project_id, status,
  schema_version, data) FROM STDIN (FORMAT binary)
)sql"};

constexpr InsertInto kInsertBatches{{"audit_batches_insert", R"sql(
INSERT INTO audit_batches (batch_id, at_ms, id)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
)sql"},
                                    R"sql(
COPY audit_batches (batch_id, at_ms, id) FROM STDIN (FORMAT binary)
)sql"};

// An index of all rows by their shards would cost each of them more than this.
constexpr Statement kInsertSeconds{"audit_seconds_insert", R"sql(
INSERT INTO audit_seconds (shard, second)
SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING
)sql"};

std::set<std::int64_t> batches_of(const RequestRecorded& event) {
  std::set<std::int64_t> ids;
  if (event.target_type == "batch" && event.target_id) ids.insert(*event.target_id);
  if (event.detail.batch_ids)
    ids.insert(event.detail.batch_ids->begin(), event.detail.batch_ids->end());
  return ids;
}

}  // namespace

void AuditRows::apply(const RequestRecorded& event, const eventstore::Record& record) {
  const std::int64_t id = event_id(record.position);
  rows_.push_back({id, &event, &record});
  seconds_.emplace(record.position.shard.value, event.at.ms / 1000);
  for (const std::int64_t batch : batches_of(event)) batches_.push_back({batch, event.at, id});
}

void AuditRows::take(StatementQueue& out) {
  // As the primary key has them: a row that follows the last one is put there at once.
  std::ranges::sort(rows_, {}, [](const Row& r) { return std::pair(r.event->at.ms, r.id); });
  using std::string_view;
  insert_rows(out, kInsert, rows_,
              Column{PgType::int8, [](const Row& r) { return r.event->at.ms; }},
              Column{PgType::int8, [](const Row& r) { return r.id; }},
              Column{PgType::int8, [](const Row& r) { return r.event->actor_id; }},
              Column{PgType::text, [](const Row& r) { return string_view(r.event->action); }},
              Column{PgType::text, [](const Row& r) { return string_view(r.event->target_type); }},
              Column{PgType::int8, [](const Row& r) { return r.event->target_id; }},
              Column{PgType::int8, [](const Row& r) { return r.event->project_id; }},
              Column{PgType::int8, [](const Row& r) { return r.event->status; }},
              Column{PgType::int8,
                     [](const Row& r) -> std::int64_t { return r.record->headers.schema_version; }},
              Column{PgType::text, [](const Row& r) { return string_view(r.record->data); }});
  insert_rows(out, kInsertBatches, batches_,
              Column{PgType::int8, [](const BatchRow& r) { return r.batch_id; }},
              Column{PgType::int8, [](const BatchRow& r) { return r.at.ms; }},
              Column{PgType::int8, [](const BatchRow& r) { return r.id; }});
  if (seconds_.empty()) return;
  Params seconds;
  add_column(seconds, PgType::int8, seconds_, [](const auto& s) { return s.first; });
  add_column(seconds, PgType::int8, seconds_, [](const auto& s) { return s.second; });
  out.add(kInsertSeconds, std::move(seconds));
}

}  // namespace annolog::projections
