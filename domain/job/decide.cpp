#include <algorithm>

#include "domain/identity/refusals.hpp"
#include "domain/job/commands.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

Timestamp lease_from(const Context& context) { return context.now + kJobLeaseMs; }

// Whether it speaks of the claim that holds the job now. An ended lease that nobody took over is
// still its own.
bool is_held_by(const JobState& job, std::int64_t claim) {
  return job.status == JobStatus::running && job.claim == claim;
}

Result<void> require_job(const JobState& job) {
  if (!job.exists()) return not_found("job");
  return success();
}

// Workers are the service itself; nobody else has a claim.
Result<void> require_worker(const JobState& job, const Context& context) {
  if (context.actor != kSystemUser) return not_found("job");
  return require_job(job);
}

}  // namespace

Result<Events> decide(const StartAuditArchive& command, JobId new_id, const Context& context) {
  if (!may_globally(context.role, Action::govern)) return forbidden(Action::govern);
  // Rows up to now may still come; those before it do not change any more.
  if (command.before > context.now)
    return validation_error({{{"before"}, "must not lie in the future", "out_of_range"}});
  return Events{JobQueued{new_id,
                          JobKind::audit_archive,
                          std::nullopt,
                          {"{\"before\":\"" + to_rfc3339(command.before) + "\"}"}}};
}

Result<Events> decide(const JobState& job, const CancelJob&, const Context& context) {
  BOOST_OUTCOME_TRY(require_job(job));
  const bool sees_all = may_globally(context.role, Action::govern);
  if (job.user_id != context.actor && !sees_all) return not_found("job");
  if (is_final(job.status)) return conflict("JOB_FINAL", "The job has ended.");
  if (!is_cancellable(job.kind))
    return conflict("JOB_NOT_CANCELLABLE", "A job of this kind can't be cancelled here.");
  return Events{JobCancelled{job.id}};
}

Result<Events> decide(const JobState& job, const ClaimJob& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_worker(job, context));
  if (is_final(job.status) || job.is_held(context.now)) return Events{};
  return Events{JobClaimed{job.id, job.claim + 1, command.worker, lease_from(context)}};
}

Result<Events> decide(const JobState& job, const AdvanceJob& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_worker(job, context));
  if (!is_held_by(job, command.claim)) return Events{};
  const auto reached = std::clamp<std::int64_t>(command.progress_pct, job.progress_pct, 99);
  return Events{JobAdvanced{job.id, job.claim, reached, lease_from(context)}};
}

Result<Events> decide(const JobState& job, const CompleteJob& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_worker(job, context));
  if (!is_held_by(job, command.claim)) return Events{};
  return Events{JobCompleted{job.id, command.result}};
}

Result<Events> decide(const JobState& job, const FailJob& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_worker(job, context));
  if (!is_held_by(job, command.claim)) return Events{};
  return Events{JobFailed{job.id, command.error_message}};
}

Events purge_jobs(const std::vector<JobState>& jobs, Timestamp now) {
  Events events;
  for (const JobState& job : jobs) {
    const bool is_old = job.completed_at && now - *job.completed_at >= kJobRetentionMs;
    if (job.exists() && is_final(job.status) && is_old) events.emplace_back(JobPurged{job.id});
  }
  return events;
}

}  // namespace annolog
