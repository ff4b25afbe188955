#include "projections/jobs/projection.hpp"

#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"async_jobs_insert", R"sql(
INSERT INTO async_jobs (id, kind, project_id, user_id, status, progress_pct, payload, result,
  error_message, claim, worker, lease_until_ms, started_at_ms, completed_at_ms, created_at_ms,
  updated_at_ms)
VALUES ($1::bigint, $2::text, $3::bigint, $4::bigint, $5::text, 0, $6::text, 'null', NULL, 0, '',
  NULL, NULL, NULL, $7::bigint, $7::bigint)
)sql"};
constexpr Statement kClaim{"async_jobs_claim", R"sql(
UPDATE async_jobs SET status = $2::text, progress_pct = 0, claim = $3::bigint, worker = $4::text,
  lease_until_ms = $5::bigint, started_at_ms = coalesce(started_at_ms, $6::bigint),
  updated_at_ms = $6::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kAdvance{"async_jobs_advance", R"sql(
UPDATE async_jobs SET progress_pct = $2::bigint, lease_until_ms = $3::bigint,
  updated_at_ms = $4::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kEnd{"async_jobs_end", R"sql(
UPDATE async_jobs SET status = $2::text,
  progress_pct = CASE WHEN $2::text = 'completed' THEN 100 ELSE progress_pct END,
  result = $3::text, error_message = $4::text, lease_until_ms = NULL, completed_at_ms = $5::bigint,
  updated_at_ms = $5::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kPurge{"async_jobs_purge", "DELETE FROM async_jobs WHERE id = $1::bigint"};

struct End {
  JobId job;
  JobStatus status;
  std::string_view result = "null";
  std::optional<std::string> error_message = {};
};

Params params_of(const End& end, const Happened& how) {
  return Params()
      .add(end.job.value)
      .add(word_of(end.status))
      .add(end.result)
      .add(end.error_message)
      .add(how.at.ms);
}

}  // namespace

void JobRows::apply(const JobQueued& event, const Happened& how) {
  Params params;
  params.add(event.job_id.value).add(word_of(event.kind));
  event.project_id ? params.add(event.project_id->value) : params.add_null();
  params.add(how.actor.value)
      .add(word_of(JobStatus::pending))
      .add(event.payload.text)
      .add(how.at.ms);
  changes_.add(kInsert, std::move(params));
}

void JobRows::apply(const JobClaimed& event, const Happened& how) {
  changes_.add(kClaim, Params()
                           .add(event.job_id.value)
                           .add(word_of(JobStatus::running))
                           .add(event.claim)
                           .add(event.worker)
                           .add(event.lease_until.ms)
                           .add(how.at.ms));
}

void JobRows::apply(const JobAdvanced& event, const Happened& how) {
  changes_.add(kAdvance, Params()
                             .add(event.job_id.value)
                             .add(event.progress_pct)
                             .add(event.lease_until.ms)
                             .add(how.at.ms));
}

void JobRows::apply(const JobCompleted& event, const Happened& how) {
  changes_.add(kEnd, params_of({event.job_id, JobStatus::completed, event.result.text}, how));
}

void JobRows::apply(const JobFailed& event, const Happened& how) {
  changes_.add(kEnd,
               params_of({event.job_id, JobStatus::failed, "null", event.error_message}, how));
}

void JobRows::apply(const JobCancelled& event, const Happened& how) {
  changes_.add(kEnd, params_of({event.job_id, JobStatus::cancelled}, how));
}

void JobRows::apply(const JobPurged& event, const Happened&) {
  changes_.add(kPurge, Params().add(event.job_id.value));
}

}  // namespace annolog::projections
