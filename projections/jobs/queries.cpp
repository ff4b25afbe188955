#include "projections/jobs/queries.hpp"

#include <limits>

#include "projections/pg/words.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define JOB_COLUMNS                                                                \
  "id, kind, project_id, user_id, status, progress_pct, payload, result, "         \
  "error_message, claim, worker, lease_until_ms, started_at_ms, completed_at_ms, " \
  "created_at_ms, updated_at_ms"
// What is over leaves after thirty days, so an index in the order of the page is walked past what a
// filter leaves out.
#define JOB_FILTERS                                                                         \
  " AND ($3::text IS NULL OR kind = $3::text) AND ($4::text IS NULL OR status = $4::text) " \
  "AND ($5::bigint IS NULL OR project_id = $5::bigint) ORDER BY id DESC LIMIT $2::bigint"

constexpr Statement kAll{
    "async_jobs_all", "SELECT " JOB_COLUMNS " FROM async_jobs WHERE id < $1::bigint" JOB_FILTERS};
constexpr Statement kOwn{"async_jobs_own", "SELECT " JOB_COLUMNS
                                           " FROM async_jobs WHERE user_id = $6::bigint "
                                           "AND id < $1::bigint" JOB_FILTERS};
constexpr Statement kOne{"async_jobs_one",
                         "SELECT " JOB_COLUMNS " FROM async_jobs WHERE id = $1::bigint"};
constexpr Statement kFree{"async_jobs_free", R"sql(
SELECT id FROM async_jobs
WHERE kind = $1::text AND status IN ('pending', 'running')
  AND (lease_until_ms IS NULL OR lease_until_ms <= $2::bigint)
ORDER BY id LIMIT $3::bigint
)sql"};

JobState read_job(RowReader& row) {
  JobState job;
  job.id = row.id<JobId>();
  job.kind = row.word<JobKind>();
  job.project_id = row.optional_id<ProjectId>();
  job.user_id = row.id<UserId>();
  job.status = row.word<JobStatus>();
  job.progress_pct = row.integer();
  job.payload.text = row.text();
  job.result.text = row.text();
  job.error_message = row.optional_text();
  job.claim = row.integer();
  job.worker = row.text();
  job.lease_until = row.optional_time();
  job.started_at = row.optional_time();
  job.completed_at = row.optional_time();
  job.created_at = row.time();
  job.updated_at = row.time();
  return job;
}

template <class E>
std::optional<std::string_view> word_if(const std::optional<E>& value) {
  return value ? std::optional(word_of(*value)) : std::nullopt;
}

}  // namespace

Page<JobState, JobId> JobQueries::page(const JobFilter& filter, std::optional<JobId> before,
                                       std::int64_t limit) const {
  constexpr JobId kAfterAllJobs{std::numeric_limits<std::int64_t>::max()};
  Params params;
  params.add(before.value_or(kAfterAllJobs).value).add(limit + 1);
  params.add(word_if(filter.kind)).add(word_if(filter.status));
  filter.project_id ? params.add(filter.project_id->value) : params.add_null();
  if (filter.user_id) params.add(filter.user_id->value);
  const Statement& statement = filter.user_id ? kOwn : kAll;
  return make_page(fetch_all(*pool_, statement, params, read_job), limit,
                   [](const JobState& last) { return last.id; });
}

std::optional<JobState> JobQueries::find(JobId id) const {
  return fetch_one(*pool_, kOne, Params().add(id.value), read_job);
}

std::vector<JobId> JobQueries::free_ones(JobKind kind, Timestamp now, std::int64_t limit) const {
  Params params;
  params.add(word_of(kind)).add(now.ms).add(limit);
  return fetch_all(*pool_, kFree, params, [](RowReader& row) { return row.id<JobId>(); });
}

std::vector<Statement> job_statements() { return {kAll, kOwn, kOne, kFree}; }

}  // namespace annolog::projections
