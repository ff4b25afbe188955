// Reads of the past: the events of one task or one batch, along a key. Any thread, blocking, errors
// as in queries/read_pool.hpp. docs/decisions/0019.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/batch/ref.hpp"
#include "domain/history/past.hpp"
#include "domain/task/view.hpp"
#include "projections/history/class_names.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct TracedBatch {
  BatchId id;
  std::string display_id;
};

class HistoryQueries {
 public:
  explicit HistoryQueries(ReadPool& pool) : pool_(&pool) {}

  // With what classes were called. False: it is enough.
  using Tell = std::function<bool(const PastEvent&, const ClassNames&)>;

  // Tells all that happened to the task, in order, its birth first, with what its batches did to
  // it; what never changes is taken from `task`. All is of one moment, and comes in slices, so that
  // a long past is never in memory at once. Gives the names at all times back; nullopt: the task
  // was not there yet. `tell` holds a connection up and may not ask for another.
  std::optional<ClassNames> of_task(const TaskView& task, const Until& until,
                                    const Tell& tell) const;
  // A batch that the project has or once had.
  std::optional<TracedBatch> find_batch(ProjectId project, const BatchRef& ref) const;
  // At all times, removed ones too.
  ClassNames class_names(ProjectId project) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
