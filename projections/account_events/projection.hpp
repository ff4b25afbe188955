// What happened to people's accounts, a row for whom it concerns: roles, groups, passwords, doors
// opened and shut, projects joined and left. One thread; see engine/row_batch.hpp.
#pragma once

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class AccountEventRows {
 public:
  // `at` is the event's place in the log: with it the row has the same id after a rebuild.
  void apply(const Event& event, const Happened& how, eventstore::Position at);

  void take(StatementQueue& out) { out.append(std::move(changes_)); }

 private:
  StatementQueue changes_;
};

}  // namespace annolog::projections
