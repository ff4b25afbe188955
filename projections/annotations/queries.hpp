// Reads of annotations. Any thread, blocking, errors as in queries/read_pool.hpp. class_name is
// the class's name as the project has it now.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/task/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// A page ends with the row that makes it as long as this, however few there are: one shape may have
// megabytes.
inline constexpr std::int64_t kPageBytes = 8 * 1024 * 1024;

class AnnotationQueries {
 public:
  explicit AnnotationQueries(ReadPool& pool) : pool_(&pool) {}

  // A deleted one too (deleted_at is set).
  std::optional<AnnotationView> find(AnnotationId id) const;
  // Live ones, by created_at descending, then id descending.
  Page<AnnotationView, TimeCursor> page(TaskId task_id, std::optional<TimeCursor> after,
                                        std::int64_t limit,
                                        std::int64_t most_bytes = kPageBytes) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
