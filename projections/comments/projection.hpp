// The rows that a batch of events makes of comments. One thread; see engine/row_batch.hpp.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "domain/comment/state.hpp"
#include "domain/task/events.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class CommentRows {
 public:
  void apply(const CommentAdded& event, const Happened& how);
  void apply(const CommentDeleted& event, const Happened& how);
  void apply(const TasksRemoved& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  struct Deletion {
    CommentId id;
    Timestamp at;
  };
  void take_deleted(StatementQueue& out);
  void take_removed(StatementQueue& out);

  std::vector<CommentState> new_;  // as they end up
  std::unordered_map<CommentId, std::size_t> new_index_;
  std::vector<Deletion> deleted_;
  std::vector<TaskId> removed_tasks_;
};

}  // namespace annolog::projections
