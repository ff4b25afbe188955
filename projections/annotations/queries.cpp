#include "projections/annotations/queries.hpp"

#include <utility>

#include "domain/codec/domain_json.hpp"
#include "projections/annotations/rows.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kFind{"annotations_find",
                          "SELECT " ANNOTATION_COLUMNS " FROM annotations a" ANNOTATION_CLASS_JOIN
                          "WHERE a.id = $1::bigint"};
// Those of $4 rows that begin within $5 bytes; their lengths are known without reading them. Each
// says how many there are of the $4.
constexpr Statement kPage{
    "annotations_page",
    "SELECT " ANNOTATION_COLUMNS
    ", a.found FROM (SELECT p.*, count(*) OVER () AS found, "
    "coalesce(sum(octet_length(p.geometry) + octet_length(p.attributes)) OVER ("
    "ORDER BY p.created_at_ms DESC, p.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), "
    "0) AS bytes_before FROM (SELECT n.* FROM annotations n "
    "WHERE n.task_id = $1::bigint AND n.deleted_at_ms IS NULL "
    "AND (n.created_at_ms, n.id) < ($2::bigint, $3::bigint) "
    "ORDER BY n.created_at_ms DESC, n.id DESC LIMIT $4::bigint) p) a" ANNOTATION_CLASS_JOIN
    "WHERE a.bytes_before < $5::bigint ORDER BY a.created_at_ms DESC, a.id DESC"};

}  // namespace

AnnotationView read_annotation(RowReader& row) {
  AnnotationView annotation;
  annotation.id = row.id<AnnotationId>();
  annotation.task_id = row.id<TaskId>();
  annotation.type = row.word<ShapeKind>();
  annotation.class_id = row.id<ClassId>();
  annotation.class_name = row.text();
  annotation.geometry = codec::from_json_text<Geometry>(row.view());
  annotation.attributes = codec::from_json_text<Attributes>(row.view());
  annotation.source = row.text();
  annotation.parent_prediction_id = row.optional_id<PredictionId>();
  annotation.confidence = row.optional_number();
  annotation.group_id = row.optional_integer();
  annotation.version = row.integer();
  annotation.created_by = row.id<UserId>();
  annotation.updated_by = row.id<UserId>();
  annotation.created_at = row.time();
  annotation.updated_at = row.time();
  annotation.deleted_at = row.optional_time();
  return annotation;
}

std::optional<AnnotationView> AnnotationQueries::find(AnnotationId id) const {
  return fetch_one(*pool_, kFind, Params().add(id.value), read_annotation);
}

Page<AnnotationView, TimeCursor> AnnotationQueries::page(TaskId task_id,
                                                         std::optional<TimeCursor> after,
                                                         std::int64_t limit,
                                                         std::int64_t most_bytes) const {
  const auto from = after.value_or(kAfterAll);
  Params params;
  params.add(task_id.value).add(from.at.ms).add(from.id).add(limit + 1).add(most_bytes);
  std::size_t found = 0;
  auto rows = fetch_all(*pool_, kPage, params, [&](RowReader& row) {
    AnnotationView annotation = read_annotation(row);
    found = static_cast<std::size_t>(row.integer());
    return annotation;
  });
  const auto place = [](const AnnotationView& last) {
    return TimeCursor{last.created_at, last.id.value};
  };
  const bool cut = found > rows.size();
  auto page = make_page(std::move(rows), limit, place);
  if (cut) page.next = place(page.items.back());
  return page;
}

std::vector<Statement> annotation_statements() { return {kFind, kPage}; }

}  // namespace annolog::projections
