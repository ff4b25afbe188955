#include "projections/annotations/projection.hpp"

#include <map>

#include "domain/codec/domain_json.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr InsertInto kInsert{{"annotations_insert", R"sql(
INSERT INTO annotations (id, task_id, project_id, kind, class_id, geometry, attributes, source,
  parent_prediction_id, confidence, group_id, version, created_by, updated_by, created_at_ms,
  updated_at_ms, deleted_at_ms)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[],
  $6::text[], $7::text[], $8::text[], $9::bigint[], $10::double precision[], $11::bigint[],
  $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[])
)sql"},
                             R"sql(
COPY annotations (id, task_id, project_id, kind, class_id, geometry, attributes, source,
  parent_prediction_id, confidence, group_id, version, created_by, updated_by, created_at_ms,
  updated_at_ms, deleted_at_ms) FROM STDIN (FORMAT binary)
)sql"};

constexpr Statement kChange{"annotations_change", R"sql(
UPDATE annotations t SET kind = u.kind, class_id = u.class_id, geometry = u.geometry,
  attributes = u.attributes, confidence = u.confidence, group_id = u.group_id,
  version = u.version, updated_by = u.updated_by, updated_at_ms = u.updated_at_ms
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[],
  $6::double precision[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
  AS u(id, kind, class_id, geometry, attributes, confidence, group_id, version, updated_by,
    updated_at_ms)
WHERE t.id = u.id
)sql"};

// Goes after the changes of the same batch, so it says how the row ends up; the counters move by
// what the rows were and have become.
constexpr Statement kMark{"annotations_mark", R"sql(
WITH marked AS (
  UPDATE annotations t SET version = u.version, updated_by = u.updated_by,
    updated_at_ms = u.updated_at_ms, deleted_at_ms = u.deleted_at_ms
  FROM (
    SELECT n.*, old.deleted_at_ms IS NULL AS was_live
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS n(id, version, updated_by, updated_at_ms, deleted_at_ms)
    JOIN annotations old ON old.id = n.id) u
  WHERE t.id = u.id
  RETURNING t.project_id, t.source, (u.deleted_at_ms IS NULL)::int - u.was_live::int AS step)
UPDATE annotation_counts c SET annotations = c.annotations + more.annotations,
  ai_derived = c.ai_derived + more.ai_derived
FROM (
  SELECT project_id, sum(step) AS annotations,
    sum(CASE WHEN source = $6::text THEN step ELSE 0 END) AS ai_derived
  FROM marked WHERE step <> 0 GROUP BY project_id) more
WHERE c.project_id = more.project_id
)sql"};

constexpr Statement kCount{"annotation_counts_add", R"sql(
INSERT INTO annotation_counts (project_id, annotations, ai_derived)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
ON CONFLICT (project_id) DO UPDATE SET
  annotations = annotation_counts.annotations + excluded.annotations,
  ai_derived = annotation_counts.ai_derived + excluded.ai_derived
)sql"};

constexpr Statement kRemove{"annotations_remove", R"sql(
WITH removed AS (
  DELETE FROM annotations WHERE task_id = ANY($1::bigint[]) AND deleted_at_ms IS NULL
  RETURNING project_id, source),
deleted_before AS (
  DELETE FROM annotations WHERE task_id = ANY($1::bigint[]) AND deleted_at_ms IS NOT NULL)
UPDATE annotation_counts c SET annotations = c.annotations - r.annotations,
  ai_derived = c.ai_derived - r.ai_derived
FROM (
  SELECT project_id, count(*) AS annotations,
    count(*) FILTER (WHERE source = $2::text) AS ai_derived
  FROM removed GROUP BY project_id) r
WHERE c.project_id = r.project_id
)sql"};

// The source of an annotation that was a prediction's shape.
constexpr std::string_view kAiAccepted = "ai-accepted";

}  // namespace

template <class T>
AnnotationRows::Content AnnotationRows::content_of(const T& from) {
  return {kind_of(from.geometry),
          from.class_id,
          codec::to_json_text(from.geometry),
          codec::to_json_text(from.attributes),
          from.confidence,
          from.group_id};
}

AnnotationRows::Row* AnnotationRows::find(AnnotationId id, std::vector<Row>& rows,
                                          const Index& index) {
  const auto found = index.find(id);
  return found == index.end() ? nullptr : &rows[found->second];
}

AnnotationRows::Row& AnnotationRows::row_for(AnnotationId id, std::vector<Row>& rows,
                                             Index& index) {
  const auto [found, is_new] = index.try_emplace(id, rows.size());
  if (is_new) rows.emplace_back().id = id;
  return rows[found->second];
}

void AnnotationRows::apply(const TaskAnnotationsAdded& event, const Happened& how) {
  for (const NewAnnotation& added : event.annotations) {
    Row& row = row_for(added.annotation_id, new_, new_index_);
    row.task_id = event.task_id;
    row.project_id = event.project_id;
    row.content = content_of(added);
    row.source = added.source;
    if (added.parent_prediction_id) row.parent_prediction_id = added.parent_prediction_id->value;
    row.created_by = how.actor;
    row.updated_by = how.actor;
    row.created_at = how.at;
    row.updated_at = how.at;
  }
}

void AnnotationRows::touch(Row& row, std::int64_t version, const Happened& how) {
  row.version = version;
  row.updated_by = how.actor;
  row.updated_at = how.at;
}

void AnnotationRows::apply(const AnnotationUpdated& event, const Happened& how) {
  const AnnotationId id = event.annotation_id;
  Row* born = find(id, new_, new_index_);
  Row& row = born != nullptr ? *born : row_for(id, changed_, changed_index_);
  row.content = content_of(event);
  touch(row, event.version, how);
  // Restored in this batch and changed then: the mark is written last.
  if (Row* marked = find(id, marked_, marked_index_)) touch(*marked, event.version, how);
}

AnnotationRows::Row& AnnotationRows::mark(AnnotationId id, std::int64_t version,
                                          const Happened& how) {
  Row* born = find(id, new_, new_index_);
  Row& row = born != nullptr ? *born : row_for(id, marked_, marked_index_);
  touch(row, version, how);
  return row;
}

void AnnotationRows::apply(const AnnotationDeleted& event, const Happened& how) {
  mark(event.annotation_id, event.version, how).deleted_at_ms = how.at.ms;
}

void AnnotationRows::apply(const AnnotationRestored& event, const Happened& how) {
  mark(event.annotation_id, event.version, how).deleted_at_ms.reset();
}

// Nothing follows on a removed task, so its rows may go last.
void AnnotationRows::apply(const TasksRemoved& event, const Happened&) {
  removed_tasks_.insert(removed_tasks_.end(), event.task_ids.begin(), event.task_ids.end());
}

void AnnotationRows::take_new(StatementQueue& out) {
  insert_rows(
      out, kInsert, new_, Column{PgType::int8, [](const auto& r) { return r.id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.task_id.value; }},
      Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
      Column{PgType::text, [](const auto& r) { return word_of(r.content.kind); }},
      Column{PgType::int8, [](const auto& r) { return r.content.class_id.value; }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.content.geometry); }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.content.attributes); }},
      Column{PgType::text, [](const auto& r) { return std::string_view(r.source); }},
      Column{PgType::int8, [](const auto& r) { return r.parent_prediction_id; }},
      Column{PgType::float8, [](const auto& r) { return r.content.confidence; }},
      Column{PgType::int8, [](const auto& r) { return r.content.group_id; }},
      Column{PgType::int8, [](const auto& r) { return r.version; }},
      Column{PgType::int8, [](const auto& r) { return r.created_by.value; }},
      Column{PgType::int8, [](const auto& r) { return r.updated_by.value; }},
      Column{PgType::int8, [](const auto& r) { return r.created_at.ms; }},
      Column{PgType::int8, [](const auto& r) { return r.updated_at.ms; }},
      Column{PgType::int8, [](const auto& r) { return r.deleted_at_ms; }});
}

void AnnotationRows::take_changed(StatementQueue& out) {
  if (changed_.empty()) return;
  Params p;
  const auto& rows = changed_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.id.value; });
  add_column(p, PgType::text, rows, [](const auto& r) { return word_of(r.content.kind); });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.content.class_id.value; });
  add_column(p, PgType::text, rows,
             [](const auto& r) { return std::string_view(r.content.geometry); });
  add_column(p, PgType::text, rows,
             [](const auto& r) { return std::string_view(r.content.attributes); });
  add_column(p, PgType::float8, rows, [](const auto& r) { return r.content.confidence; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.content.group_id; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.version; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.updated_by.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.updated_at.ms; });
  out.add(kChange, std::move(p));
}

// A project whose annotations came and went within the batch gets its row too: live read models and
// those of a rebuild, whose batches are others, end up with the same rows.
void AnnotationRows::take_counts(StatementQueue& out) {
  struct Counts {
    std::int64_t annotations = 0;
    std::int64_t ai_derived = 0;
  };
  std::map<ProjectId, Counts> counts;
  for (const Row& row : new_) {
    Counts& of_project = counts[row.project_id];
    if (row.deleted_at_ms) continue;
    ++of_project.annotations;
    if (row.source == kAiAccepted) ++of_project.ai_derived;
  }
  if (counts.empty()) return;
  Params p;
  add_column(p, PgType::int8, counts, [](const auto& c) { return c.first.value; });
  add_column(p, PgType::int8, counts, [](const auto& c) { return c.second.annotations; });
  add_column(p, PgType::int8, counts, [](const auto& c) { return c.second.ai_derived; });
  out.add(kCount, std::move(p));
}

void AnnotationRows::take(StatementQueue& out) {
  take_new(out);
  take_counts(out);
  take_changed(out);
  take_marked(out);
  take_removed(out);
}

void AnnotationRows::take_marked(StatementQueue& out) {
  if (marked_.empty()) return;
  Params p;
  add_column(p, PgType::int8, marked_, [](const auto& r) { return r.id.value; });
  add_column(p, PgType::int8, marked_, [](const auto& r) { return r.version; });
  add_column(p, PgType::int8, marked_, [](const auto& r) { return r.updated_by.value; });
  add_column(p, PgType::int8, marked_, [](const auto& r) { return r.updated_at.ms; });
  add_column(p, PgType::int8, marked_, [](const auto& r) { return r.deleted_at_ms; });
  p.add(kAiAccepted);
  out.add(kMark, std::move(p));
}

void AnnotationRows::take_removed(StatementQueue& out) {
  if (removed_tasks_.empty()) return;
  Params p;
  add_column(p, PgType::int8, removed_tasks_, [](TaskId id) { return id.value; });
  p.add(kAiAccepted);
  out.add(kRemove, std::move(p));
}

}  // namespace annolog::projections
