// Asynchronous jobs.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

ReplyRef job_reply(JobId id) { return {ReplyKind::job, {id.value}, {}}; }

template <class C>
Result<Handled> decide_job(const Handling& on, const C& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.job(command.job_id), command, on.context));
  return Handled{std::move(events), job_reply(command.job_id)};
}

}  // namespace

Result<Handled> handle(const Handling& on, const StartAuditArchive& command) {
  const JobId id{on.state.id_of(on.state.counter("job") + 1)};
  BOOST_OUTCOME_TRY(auto events, decide(command, id, on.context));
  return Handled{std::move(events), job_reply(id)};
}

Result<Handled> handle(const Handling& on, const CancelJob& command) {
  return decide_job(on, command);
}

Result<Handled> handle(const Handling& on, const ClaimJob& command) {
  return decide_job(on, command);
}

Result<Handled> handle(const Handling& on, const AdvanceJob& command) {
  return decide_job(on, command);
}

Result<Handled> handle(const Handling& on, const CompleteJob& command) {
  return decide_job(on, command);
}

Result<Handled> handle(const Handling& on, const FailJob& command) {
  return decide_job(on, command);
}

Result<Handled> handle(const Handling& on, const PurgeJobs& command) {
  std::vector<JobState> jobs;
  bool more = false;
  on.state.each_old_job(on.context.now, [&](JobId id) {
    more = jobs.size() == command.kJobsMax;
    if (!more) jobs.push_back(on.state.job(id));
    return !more;
  });
  return Handled{purge_jobs(jobs, on.context.now), {}, Reply{Remains{more}}};
}

}  // namespace annolog::commands
