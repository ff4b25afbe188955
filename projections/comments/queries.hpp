// Reads of comments. Any thread, blocking, errors as in queries/read_pool.hpp. The authors' names
// are left empty: the caller fills them from its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/comment/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

class CommentQueries {
 public:
  explicit CommentQueries(ReadPool& pool) : pool_(&pool) {}

  // Those of a task that are not deleted, oldest first: a shard gives ids in the order of its time.
  // With `about`, those about that annotation.
  Page<CommentView, CommentId> page(TaskId task, std::optional<AnnotationId> about,
                                    std::optional<CommentId> after, std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
