#include "commands/state/fold_jobs.hpp"

namespace annolog::commands {
namespace {

Key end_key(const JobState& job) {
  return Key(Table::job_end).number(job.completed_at->ms).id(job.id);
}

}  // namespace

template <class E>
JobState FoldJobs::of_job(const E& e) {
  JobState job = state_.job(e.job_id);
  evolve(job, e, how_);
  state_.put(Key(Table::job).id(e.job_id), job);
  return job;
}

template <class E>
void FoldJobs::end(const E& e) {
  state_.put_mark(end_key(of_job(e)).take());
}

void FoldJobs::operator()(const JobQueued& e) {
  of_job(e);
  state_.raise_counter("job", state_.sequence_of(e.job_id.value));
}
void FoldJobs::operator()(const JobClaimed& e) { of_job(e); }
void FoldJobs::operator()(const JobAdvanced& e) { of_job(e); }
void FoldJobs::operator()(const JobCompleted& e) { end(e); }
void FoldJobs::operator()(const JobFailed& e) { end(e); }
void FoldJobs::operator()(const JobCancelled& e) { end(e); }

void FoldJobs::operator()(const JobPurged& e) {
  const JobState job = state_.job(e.job_id);
  if (job.completed_at) state_.erase(end_key(job).bytes());
  state_.erase(Key(Table::job).id(e.job_id).bytes());
}

}  // namespace annolog::commands
