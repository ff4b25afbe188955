#include "projections/annotations/queries.hpp"

#include "domain/codec/domain_json.hpp"
#include "projections/annotations/rows.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kFind{"annotations_find",
                          "SELECT " ANNOTATION_COLUMNS " FROM annotations a" ANNOTATION_CLASS_JOIN
                          "WHERE a.id = $1::bigint"};
constexpr Statement kPage{"annotations_page",
                          "SELECT " ANNOTATION_COLUMNS " FROM annotations a" ANNOTATION_CLASS_JOIN
                          "WHERE a.task_id = $1::bigint AND a.deleted_at_ms IS NULL "
                          "AND (a.created_at_ms, a.id) < ($2::bigint, $3::bigint) "
                          "ORDER BY a.created_at_ms DESC, a.id DESC LIMIT $4::bigint"};

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
                                                         std::int64_t limit) const {
  const auto from = after.value_or(kAfterAll);
  Params params;
  params.add(task_id.value).add(from.at.ms).add(from.id).add(limit + 1);
  return make_page(
      fetch_all(*pool_, kPage, params, read_annotation), limit,
      [](const AnnotationView& last) { return TimeCursor{last.created_at, last.id.value}; });
}

std::vector<Statement> annotation_statements() { return {kFind, kPage}; }

}  // namespace annolog::projections
