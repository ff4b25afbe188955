#include "domain/job/state.hpp"

namespace annolog {
namespace {

void end(JobState& state, JobStatus status, const Happened& how) {
  state.status = status;
  state.lease_until.reset();
  state.completed_at = how.at;
  state.updated_at = how.at;
}

}  // namespace

void evolve(JobState& state, const JobQueued& event, const Happened& how) {
  state = JobState{};
  state.id = event.job_id;
  state.kind = event.kind;
  state.project_id = event.project_id;
  state.user_id = how.actor;
  state.payload = event.payload;
  state.created_at = how.at;
  state.updated_at = how.at;
}

// A claim begins the work anew: what the last one had done may be lost.
void evolve(JobState& state, const JobClaimed& event, const Happened& how) {
  state.status = JobStatus::running;
  state.claim = event.claim;
  state.worker = event.worker;
  state.lease_until = event.lease_until;
  state.progress_pct = 0;
  if (!state.started_at) state.started_at = how.at;
  state.updated_at = how.at;
}

void evolve(JobState& state, const JobAdvanced& event, const Happened& how) {
  state.progress_pct = event.progress_pct;
  state.lease_until = event.lease_until;
  state.updated_at = how.at;
}

void evolve(JobState& state, const JobCompleted& event, const Happened& how) {
  end(state, JobStatus::completed, how);
  state.progress_pct = 100;
  state.result = event.result;
}

void evolve(JobState& state, const JobFailed& event, const Happened& how) {
  end(state, JobStatus::failed, how);
  state.error_message = event.error_message;
}

void evolve(JobState& state, const JobCancelled&, const Happened& how) {
  end(state, JobStatus::cancelled, how);
}

}  // namespace annolog
