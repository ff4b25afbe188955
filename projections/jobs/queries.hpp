// Reads of asynchronous jobs. Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/job/state.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct JobFilter {
  std::optional<UserId> user_id;  // absent: of everybody
  std::optional<JobKind> kind;
  std::optional<JobStatus> status;
  std::optional<ProjectId> project_id;
};

class JobQueries {
 public:
  explicit JobQueries(ReadPool& pool) : pool_(&pool) {}

  // Newest first.
  Page<JobState, JobId> page(const JobFilter& filter, std::optional<JobId> before,
                             std::int64_t limit) const;
  std::optional<JobState> find(JobId id) const;
  // Those of a kind that nobody has: pending ones, and running ones whose lease is over; oldest
  // first.
  std::vector<JobId> free_ones(JobKind kind, Timestamp now, std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
