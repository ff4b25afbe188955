// How often people submitted, approved and rejected, by project and day, made of a batch of events.
// One thread; see engine/row_batch.hpp.
#pragma once

#include <map>
#include <tuple>

#include "domain/identity/context.hpp"
#include "domain/task/events.hpp"
#include "projections/pg/statement_queue.hpp"
#include "projections/work/days.hpp"

namespace annolog::projections {

class WorkRows {
 public:
  void apply(const TaskSubmitted& event, const Happened& how);
  void apply(const TaskApproved& event, const Happened& how);
  void apply(const TaskRejected& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  void count(UserId user, ProjectId project, WorkAction action, const Happened& how);

  std::map<std::tuple<UserId, Day, ProjectId, WorkAction>, std::int64_t> times_;
};

}  // namespace annolog::projections
