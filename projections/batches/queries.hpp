// Reads of batches. Any thread, blocking, errors as in queries/read_pool.hpp. The briefs
// (annotator, reviewer) are left empty: the caller fills them from its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "domain/batch/commands.hpp"
#include "domain/batch/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"

namespace annolog::projections {

struct BatchFilter {
  ProjectId project_id;
  std::vector<BatchStatus> statuses = {};  // empty: all
  std::optional<UserId> annotator_id = {};
  std::optional<UserId> reviewer_id = {};
};

class BatchQueries {
 public:
  explicit BatchQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<BatchView> find(ProjectId project, const BatchRef& ref) const;
  // In order of id, ascending.
  Page<BatchView, BatchId> list(const BatchFilter& filter, std::optional<BatchId> after,
                                std::int64_t limit) const;
  // Whom those of these batches name that are there, each once.
  std::vector<UserId> annotators(ProjectId project, std::span<const BatchRef> batches) const;
  // Tasks of the project that are in no batch.
  std::int64_t unclassified(ProjectId project) const;

  // Whether a change of people has not reached all tasks yet (engine/settling.hpp).
  bool any_unsettled(const SeenProjects& of) const;
  bool is_unsettled(BatchId batch) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
