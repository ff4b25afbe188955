#include "projections/audit/queries.hpp"

#include "domain/codec/events.hpp"
#include "projections/audit/page_statements.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kOfBatch{"audit_of_batch", "SELECT " AUDIT_COLUMNS R"sql(
FROM audit_batches b JOIN audit_rows a ON a.at_ms = b.at_ms AND a.id = b.id
WHERE b.batch_id = $1::bigint AND (b.at_ms, b.id) < ($2::bigint, $3::bigint)
ORDER BY b.at_ms DESC, b.id DESC LIMIT $4::bigint
)sql"};

constexpr Statement kOfAnnotation{"audit_of_annotation", "SELECT " AUDIT_COLUMNS R"sql(
FROM audit_rows a WHERE a.target_type = 'annotation' AND a.target_id = $1::bigint
  AND a.project_id = $2::bigint AND a.status < 400
ORDER BY a.at_ms, a.id LIMIT $3::bigint
)sql"};

AuditRow read_row(RowReader& row) {
  AuditRow audited;
  audited.id = row.integer();
  audited.at = row.time();
  audited.schema_version = static_cast<int>(row.integer());
  audited.data = row.text();
  return audited;
}

Question<Page<AuditRow, TimeCursor>> page_of(const Statement& statement, Params params,
                                             std::int64_t limit) {
  return {&statement, std::move(params), [limit](const Rows& rows) {
            return make_page(values_of(rows, read_row), limit,
                             [](const AuditRow& row) { return TimeCursor{row.at, row.id}; });
          }};
}

}  // namespace

RequestRecorded request_of(const AuditRow& row) {
  return std::get<RequestRecorded>(
      codec::decode_event(RequestRecorded::kType, row.schema_version, row.data));
}

Question<Page<AuditRow, TimeCursor>> AuditQueries::page(const AuditScope& scope,
                                                        std::optional<TimeCursor> after,
                                                        std::int64_t limit) {
  return page_of(audit_page_statement(AuditPageKind::rows, scope),
                 audit_page_params(scope, after, limit + 1), limit);
}

Question<Page<std::int64_t, std::int64_t>> AuditQueries::page_keys(const AuditScope& scope,
                                                                   std::optional<TimeCursor> after,
                                                                   std::int64_t limit) {
  return {&audit_page_statement(AuditPageKind::keys, scope),
          audit_page_params(scope, after, limit + 1), [limit](const Rows& rows) {
            return make_page(values_of(rows, [](RowReader& row) { return row.integer(); }), limit,
                             [](std::int64_t last) { return last; });
          }};
}

Question<Page<AuditRow, TimeCursor>> AuditQueries::of_batch(BatchId batch,
                                                            std::optional<TimeCursor> after,
                                                            std::int64_t limit) {
  const TimeCursor start = after.value_or(kAfterAll);
  Params params;
  params.add(batch.value).add(start.at.ms).add(start.id).add(limit + 1);
  return page_of(kOfBatch, std::move(params), limit);
}

std::vector<AuditRow> AuditQueries::of_annotation(ProjectId project, AnnotationId annotation,
                                                  std::int64_t limit) const {
  Params params;
  params.add(annotation.value).add(project.value).add(limit);
  return fetch_all(*pool_, kOfAnnotation, params, read_row);
}

std::vector<Statement> audit_statements() {
  std::vector<Statement> all = audit_page_statements();
  all.push_back(kOfBatch);
  all.push_back(kOfAnnotation);
  return all;
}

}  // namespace annolog::projections
