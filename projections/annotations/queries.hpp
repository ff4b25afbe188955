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

class AnnotationQueries {
 public:
  explicit AnnotationQueries(ReadPool& pool) : pool_(&pool) {}

  // A deleted one too (deleted_at is set).
  std::optional<AnnotationView> find(AnnotationId id) const;
  // Live ones, by created_at descending, then id descending.
  Page<AnnotationView, TimeCursor> page(TaskId task_id, std::optional<TimeCursor> after,
                                        std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
