// An asynchronous job as its shard has it, and as it is shown: the fold of its events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/job/events.hpp"

namespace annolog {

// Rows in a final status are purged after so long (specification, "Limits").
inline constexpr std::int64_t kJobRetentionMs = 30LL * 24 * 60 * 60 * 1000;

struct JobState {
  JobId id;  // 0: there is none
  JobKind kind = JobKind::audit_archive;
  std::optional<ProjectId> project_id;
  UserId user_id;
  JobStatus status = JobStatus::pending;
  std::int64_t progress_pct = 0;
  JsonText payload;
  JsonText result;  // null until it is completed
  std::optional<std::string> error_message;
  std::int64_t claim = 0;  // how often it was taken
  std::string worker;      // who took it last
  std::optional<Timestamp> lease_until;
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> completed_at;  // when it came to its final status, whichever
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const JobState&) const = default;

  bool exists() const { return id.value != 0; }
  bool is_held(Timestamp now) const {
    return status == JobStatus::running && lease_until && *lease_until > now;
  }
};
BOOST_DESCRIBE_STRUCT(JobState, (),
                      (id, kind, project_id, user_id, status, progress_pct, payload, result,
                       error_message, claim, worker, lease_until, started_at, completed_at,
                       created_at, updated_at))

void evolve(JobState& state, const JobQueued& event, const Happened& how);
void evolve(JobState& state, const JobClaimed& event, const Happened& how);
void evolve(JobState& state, const JobAdvanced& event, const Happened& how);
void evolve(JobState& state, const JobCompleted& event, const Happened& how);
void evolve(JobState& state, const JobFailed& event, const Happened& how);
void evolve(JobState& state, const JobCancelled& event, const Happened& how);

}  // namespace annolog
