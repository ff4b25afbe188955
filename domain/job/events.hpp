// What happens to asynchronous jobs. Who asked for one is the actor of `job.queued`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/job/status.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct JobQueued {
  static constexpr std::string_view kType = "job.queued";
  static constexpr int kVersion = 1;
  JobId job_id;
  JobKind kind = JobKind::audit_archive;
  std::optional<ProjectId> project_id;
  JsonText payload;  // what is to be done, an object; its members are the kind's affair
  bool operator==(const JobQueued&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobQueued, (), (job_id, kind, project_id, payload))

// A worker has it until the lease ends; each renewal moves the end. `claim` counts the takings, so
// that what an overtaken worker still says is told from what the present one does.
struct JobClaimed {
  static constexpr std::string_view kType = "job.claimed";
  static constexpr int kVersion = 1;
  JobId job_id;
  std::int64_t claim = 0;
  std::string worker;
  Timestamp lease_until;
  bool operator==(const JobClaimed&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobClaimed, (), (job_id, claim, worker, lease_until))

struct JobAdvanced {
  static constexpr std::string_view kType = "job.advanced";
  static constexpr int kVersion = 1;
  JobId job_id;
  std::int64_t claim = 0;
  std::int64_t progress_pct = 0;
  Timestamp lease_until;
  bool operator==(const JobAdvanced&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobAdvanced, (), (job_id, claim, progress_pct, lease_until))

struct JobCompleted {
  static constexpr std::string_view kType = "job.completed";
  static constexpr int kVersion = 1;
  JobId job_id;
  JsonText result;  // an object
  bool operator==(const JobCompleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobCompleted, (), (job_id, result))

struct JobFailed {
  static constexpr std::string_view kType = "job.failed";
  static constexpr int kVersion = 1;
  JobId job_id;
  std::string error_message;
  bool operator==(const JobFailed&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobFailed, (), (job_id, error_message))

struct JobCancelled {
  static constexpr std::string_view kType = "job.cancelled";
  static constexpr int kVersion = 1;
  JobId job_id;
  bool operator==(const JobCancelled&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobCancelled, (), (job_id))

// Long over: nobody is shown it any more.
struct JobPurged {
  static constexpr std::string_view kType = "job.purged";
  static constexpr int kVersion = 1;
  JobId job_id;
  bool operator==(const JobPurged&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobPurged, (), (job_id))

}  // namespace annolog
