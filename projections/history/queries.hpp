// Reads of the past: the events of one task or one batch, along a key. Any thread, blocking, errors
// as in queries/read_pool.hpp. docs/decisions/0019.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/batch/trace.hpp"
#include "domain/history/past.hpp"
#include "domain/task/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// Up to a moment, both inclusive.
struct Until {
  std::int64_t log_offset = std::numeric_limits<std::int64_t>::max();  // in the project's shard
  Timestamp at{std::numeric_limits<std::int64_t>::max()};
};

struct LogOffset {
  std::int64_t value = 0;
};

using ClassNames = std::unordered_map<ClassId, std::string>;

class HistoryQueries {
 public:
  explicit HistoryQueries(ReadPool& pool) : pool_(&pool) {}

  // All that happened to the task, in order, its birth first, with what its batches did to it; what
  // never changes is taken from `task`. Empty: it was not there yet.
  std::vector<PastEvent> of_task(const TaskView& task, const Until& until) const;
  // Newest first; actors with their ids alone.
  Page<BatchTraceView, LogOffset> of_batch(ProjectId project, BatchId batch,
                                           std::optional<LogOffset> before,
                                           std::int64_t limit) const;
  // As the project names them now, removed ones too.
  ClassNames class_names(ProjectId project) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
