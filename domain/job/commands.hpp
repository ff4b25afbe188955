// Wishes about asynchronous jobs, and what is decided of them. docs/decisions/0031.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/job/state.hpp"
#include "domain/support/result.hpp"

namespace annolog {

// How long a worker has a job without a word.
inline constexpr std::int64_t kJobLeaseMs = 30'000;

// A copy of the audit rows from before a moment: a super_admin's wish. Kinds that belong to a
// project are queued by the commands that ask for them, in the project's shard.
struct StartAuditArchive {
  Timestamp before;
};
BOOST_DESCRIBE_STRUCT(StartAuditArchive, (), (before))

// By who asked for it, or a super_admin.
struct CancelJob {
  JobId job_id;
};
BOOST_DESCRIBE_STRUCT(CancelJob, (), (job_id))

// By a worker. One wins: nothing comes of a claim while another one's lease lasts, or when the job
// is over.
struct ClaimJob {
  JobId job_id;
  std::string worker;
};
BOOST_DESCRIBE_STRUCT(ClaimJob, (), (job_id, worker))

// By the worker whose claim it is. Nothing comes of what an overtaken one says.
struct AdvanceJob {
  JobId job_id;
  std::int64_t claim = 0;
  std::int64_t progress_pct = 0;
};
BOOST_DESCRIBE_STRUCT(AdvanceJob, (), (job_id, claim, progress_pct))

struct CompleteJob {
  JobId job_id;
  std::int64_t claim = 0;
  JsonText result;
};
BOOST_DESCRIBE_STRUCT(CompleteJob, (), (job_id, claim, result))

struct FailJob {
  JobId job_id;
  std::int64_t claim = 0;
  std::string error_message;
};
BOOST_DESCRIBE_STRUCT(FailJob, (), (job_id, claim, error_message))

Result<Events> decide(const StartAuditArchive& command, JobId new_id, const Context& context);
// 404 for who did not ask for it. JOB_FINAL, JOB_NOT_CANCELLABLE.
Result<Events> decide(const JobState& job, const CancelJob& command, const Context& context);
Result<Events> decide(const JobState& job, const ClaimJob& command, const Context& context);
Result<Events> decide(const JobState& job, const AdvanceJob& command, const Context& context);
Result<Events> decide(const JobState& job, const CompleteJob& command, const Context& context);
Result<Events> decide(const JobState& job, const FailJob& command, const Context& context);

// Those that have been over for kJobRetentionMs go; others are passed over.
Events purge_jobs(const std::vector<JobState>& jobs, Timestamp now);

}  // namespace annolog
