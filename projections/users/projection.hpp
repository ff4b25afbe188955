// The rows that a batch of events makes of users. One thread; see engine/row_batch.hpp.
#pragma once

#include <map>

#include "domain/identity/context.hpp"
#include "domain/identity/events.hpp"
#include "projections/engine/unseal.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class UserRows {
 public:
  explicit UserRows(const Unseal& unseal) : unseal_(&unseal) {}

  void apply(const UserCreated& event, const Happened& how);
  void apply(const UserSignedIn& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  std::optional<std::string> open(UserId id, const Sealed& sealed) const;

  const Unseal* unseal_;
  StatementQueue created_;
  std::map<UserId, Timestamp> signed_in_;
};

}  // namespace annolog::projections
