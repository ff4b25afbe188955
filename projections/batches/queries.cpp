#include "projections/batches/queries.hpp"

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define BATCH_COLUMNS                                                                      \
  "b.id, b.number, b.project_id, b.name, b.status, b.annotator_id, b.reviewer_id, "        \
  "b.pending, b.assigned, b.in_progress, b.submitted, b.review, b.rejected, b.completed, " \
  "b.review_feedback, b.reviewed_at_ms, b.reviewed_by, b.created_by, b.version, "          \
  "b.created_at_ms, b.updated_at_ms"

constexpr Statement kFindById{"batches_find", "SELECT " BATCH_COLUMNS
                                              " FROM batches b WHERE b.id = $2::bigint "
                                              "AND b.project_id = $1::bigint"};
constexpr Statement kFindByNumber{"batches_find_by_number",
                                  "SELECT " BATCH_COLUMNS
                                  " FROM batches b WHERE b.project_id = $1::bigint "
                                  "AND b.number = $2::bigint"};

// $1 project, $2 limit, $3 after, $4 statuses, $5 annotator, $6 reviewer
constexpr Statement kList{"batches_list",
                          "SELECT " BATCH_COLUMNS
                          " FROM batches b WHERE b.project_id = $1::bigint AND b.id > $3::bigint "
                          "AND ($4::text[] IS NULL OR b.status = ANY($4::text[])) "
                          "AND ($5::bigint IS NULL OR b.annotator_id = $5::bigint) "
                          "AND ($6::bigint IS NULL OR b.reviewer_id = $6::bigint) "
                          "ORDER BY b.id LIMIT $2::bigint"};

// $1 project, $2 ids, $3 numbers
constexpr Statement kAnnotators{
    "batches_annotators",
    "SELECT DISTINCT annotator_id FROM batches WHERE project_id = $1::bigint "
    "AND (id = ANY($2::bigint[]) OR number = ANY($3::bigint[])) AND annotator_id IS NOT NULL"};

constexpr Statement kUnclassified{
    "unclassified_counts_find",
    "SELECT tasks FROM unclassified_counts WHERE project_id = $1::bigint"};

constexpr Statement kAnyUnsettled{
    "unsettled_any",
    "SELECT (SELECT batch_id FROM unsettled_batches ORDER BY batch_id LIMIT 1) IS NOT NULL"};
constexpr Statement kAnyUnsettledOf{
    "unsettled_any_of",
    "SELECT EXISTS (SELECT FROM unsettled_batches WHERE project_id = ANY($1::bigint[]))"};
constexpr Statement kIsUnsettled{
    "unsettled_is", "SELECT EXISTS (SELECT FROM unsettled_batches WHERE batch_id = $1::bigint)"};

BatchView read_batch(RowReader& row) {
  BatchView batch;
  batch.id = row.id<BatchId>();
  batch.display_id = "B-" + std::to_string(row.integer());
  batch.project_id = row.id<ProjectId>();
  batch.name = row.text();
  batch.status = row.word<BatchStatus>();
  batch.annotator_id = row.optional_id<UserId>();
  batch.reviewer_id = row.optional_id<UserId>();
  batch.assigned_user_ids = people_of(batch.annotator_id, batch.reviewer_id);
  batch.progress.pending = row.integer();
  batch.progress.assigned = row.integer();
  batch.progress.in_progress = row.integer();
  batch.progress.submitted = row.integer();
  batch.progress.review = row.integer();
  batch.progress.rejected = row.integer();
  batch.progress.completed = row.integer();
  batch.total_tasks = batch.progress.total();
  batch.review_feedback = row.optional_text();
  batch.reviewed_at = row.optional_time();
  batch.reviewed_by = row.optional_id<UserId>();
  batch.created_by = row.id<UserId>();
  batch.version = row.integer();
  batch.created_at = row.time();
  batch.updated_at = row.time();
  return batch;
}

}  // namespace

std::optional<BatchView> BatchQueries::find(ProjectId project, const BatchRef& ref) const {
  if (ref.id == 0 && ref.number == 0) return std::nullopt;
  const bool by_id = ref.id != 0;
  return fetch_one(*pool_, by_id ? kFindById : kFindByNumber,
                   Params().add(project.value).add(by_id ? ref.id : ref.number), read_batch);
}

Page<BatchView, BatchId> BatchQueries::list(const BatchFilter& filter, std::optional<BatchId> after,
                                            std::int64_t limit) const {
  Params params;
  params.add(filter.project_id.value).add(limit + 1).add(after.value_or(BatchId{0}).value);
  if (filter.statuses.empty()) {
    params.add_null();
  } else {
    add_column(params, PgType::text, filter.statuses, [](BatchStatus s) { return word_of(s); });
  }
  const auto user = [](const std::optional<UserId>& id) {
    return id ? std::optional(id->value) : std::nullopt;
  };
  params.add(user(filter.annotator_id)).add(user(filter.reviewer_id));
  return make_page(fetch_all(*pool_, kList, params, read_batch), limit,
                   [](const BatchView& batch) { return batch.id; });
}

std::vector<UserId> BatchQueries::annotators(ProjectId project,
                                             std::span<const BatchRef> batches) const {
  Params params;
  params.add(project.value);
  add_column(params, PgType::int8, batches, [](const BatchRef& ref) { return ref.id; });
  add_column(params, PgType::int8, batches, [](const BatchRef& ref) { return ref.number; });
  return fetch_all(*pool_, kAnnotators, params, [](RowReader& row) { return row.id<UserId>(); });
}

std::int64_t BatchQueries::unclassified(ProjectId project) const {
  return fetch_one(*pool_, kUnclassified, Params().add(project.value),
                   [](RowReader& row) { return row.integer(); })
      .value_or(0);
}

bool BatchQueries::any_unsettled(const SeenProjects& of) const {
  Params params;
  if (!of.all) add_ids(params, of.ids);
  return fetch_one(*pool_, of.all ? kAnyUnsettled : kAnyUnsettledOf, params,
                   [](RowReader& row) { return row.boolean(); })
      .value_or(false);
}

bool BatchQueries::is_unsettled(BatchId batch) const {
  return fetch_one(*pool_, kIsUnsettled, Params().add(batch.value),
                   [](RowReader& row) { return row.boolean(); })
      .value_or(false);
}

std::vector<Statement> batch_statements() {
  return {kFindById,     kFindByNumber, kList,           kAnnotators,
          kUnclassified, kAnyUnsettled, kAnyUnsettledOf, kIsUnsettled};
}

}  // namespace annolog::projections
