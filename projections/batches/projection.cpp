#include "projections/batches/projection.hpp"

#include "projections/pg/params.hpp"
#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"batches_insert", R"sql(
INSERT INTO batches (id, project_id, number, name, status, annotator_id, reviewer_id, created_by,
  version, created_at_ms, updated_at_ms)
SELECT n.id, n.project_id, n.number, n.name, 'draft', n.annotator, n.reviewer, n.created_by, 1,
  n.at, n.at
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
  $7::bigint[], $8::bigint[])
  AS n(id, project_id, number, name, annotator, reviewer, created_by, at)
)sql"};

constexpr Statement kChange{"batches_change", R"sql(
UPDATE batches b SET
  name = coalesce(u.name, b.name),
  status = coalesce(u.status, b.status),
  annotator_id = CASE WHEN u.assigned THEN u.annotator ELSE b.annotator_id END,
  reviewer_id = CASE WHEN u.assigned THEN u.reviewer ELSE b.reviewer_id END,
  review_feedback = CASE WHEN u.review_changed THEN u.feedback ELSE b.review_feedback END,
  reviewed_at_ms = CASE WHEN u.review_changed THEN u.reviewed_at_ms ELSE b.reviewed_at_ms END,
  reviewed_by = CASE WHEN u.review_changed THEN u.reviewed_by ELSE b.reviewed_by END,
  version = b.version + u.versions,
  updated_at_ms = u.updated_at_ms
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[],
  $7::boolean[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
  AS u(id, name, status, assigned, annotator, reviewer, review_changed, feedback, reviewed_at_ms,
    reviewed_by, versions, updated_at_ms)
WHERE b.id = u.id
)sql"};

constexpr Statement kDelete{"batches_delete", "DELETE FROM batches WHERE id = ANY($1::bigint[])"};

}  // namespace

BatchRows::Change& BatchRows::touch(BatchId id, const Happened& how) {
  const auto [found, is_new] = change_index_.try_emplace(id, changes_.size());
  if (is_new) changes_.emplace_back().id = id;
  Change& change = changes_[found->second];
  ++change.versions;
  change.updated_at_ms = how.at.ms;
  return change;
}

void BatchRows::forget_review(Change& change) {
  change.review_changed = true;
  change.feedback.reset();
  change.reviewed_at_ms.reset();
  change.reviewed_by.reset();
}

void BatchRows::apply(const BatchCreated& event, const Happened& how) {
  births_.push_back({event, how.actor, how.at.ms});
}

void BatchRows::apply(const BatchRenamed& event, const Happened& how) {
  touch(event.batch_id, how).name = event.name;
}

void BatchRows::apply(const BatchAssigned& event, const Happened& how) {
  Change& change = touch(event.batch_id, how);
  change.assigned = true;
  change.annotator = event.annotator_id;
  change.reviewer = event.reviewer_id;
}

void BatchRows::apply(const BatchMoved& event, const Happened& how) {
  Change& change = touch(event.batch_id, how);
  change.status = event.to;
  const bool reviewed = event.to == BatchStatus::approved ||
                        (event.from == BatchStatus::reviewing && event.to == BatchStatus::rejected);
  if (reviewed) {
    change.review_changed = true;
    change.feedback = event.review_feedback;
    change.reviewed_at_ms = how.at.ms;
    change.reviewed_by = how.actor;
  }
  if (event.from == BatchStatus::approved && event.to == BatchStatus::reviewing) {
    forget_review(change);
  }
}

void BatchRows::apply(const BatchReset& event, const Happened& how) {
  Change& change = touch(event.batch_id, how);
  change.status = BatchStatus::draft;
  forget_review(change);
}

void BatchRows::apply(const BatchDeleted& event, const Happened&) {
  deleted_.push_back(event.batch_id);
}

void BatchRows::take_births(StatementQueue& out) {
  if (births_.empty()) return;
  Params p;
  const auto& rows = births_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.batch_id.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.project_id.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.number; });
  add_column(p, PgType::text, rows, [](const auto& r) { return std::string_view(r.event.name); });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.annotator_id; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.reviewer_id; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.created_by.value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.at_ms; });
  out.add(kInsert, std::move(p));
}

void BatchRows::take_changes(StatementQueue& out) {
  if (changes_.empty()) return;
  Params p;
  const auto& rows = changes_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.id.value; });
  add_column(p, PgType::text, rows, [](const auto& r) { return r.name; });
  add_column(p, PgType::text, rows, [](const auto& r) {
    return r.status ? std::optional(word_of(*r.status)) : std::nullopt;
  });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.assigned; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.annotator; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reviewer; });
  add_column(p, PgType::boolean, rows, [](const auto& r) { return r.review_changed; });
  add_column(p, PgType::text, rows, [](const auto& r) { return r.feedback; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reviewed_at_ms; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.reviewed_by; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.versions; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.updated_at_ms; });
  out.add(kChange, std::move(p));
}

void BatchRows::take(StatementQueue& out) {
  take_births(out);
  take_changes(out);
  if (deleted_.empty()) return;
  Params p;
  add_column(p, PgType::int8, deleted_, [](BatchId id) { return id.value; });
  out.add(kDelete, std::move(p));
}

}  // namespace annolog::projections
