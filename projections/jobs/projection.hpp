// The rows that a batch of events makes of asynchronous jobs: few, so each event is a statement.
// One thread; see engine/row_batch.hpp.
#pragma once

#include "domain/identity/context.hpp"
#include "domain/job/events.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class JobRows {
 public:
  void apply(const JobQueued& event, const Happened& how);
  void apply(const JobClaimed& event, const Happened& how);
  void apply(const JobAdvanced& event, const Happened& how);
  void apply(const JobCompleted& event, const Happened& how);
  void apply(const JobFailed& event, const Happened& how);
  void apply(const JobCancelled& event, const Happened& how);
  void apply(const JobPurged& event, const Happened& how);

  void take(StatementQueue& out) { out.append(std::move(changes_)); }

 private:
  StatementQueue changes_;
};

}  // namespace annolog::projections
