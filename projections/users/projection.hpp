// The rows that a batch of events makes of users. One thread; see engine/row_batch.hpp.
#pragma once

#include <map>

#include "domain/group/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/user/events.hpp"
#include "projections/engine/unseal.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class UserRows {
 public:
  explicit UserRows(const Unseal& unseal) : unseal_(&unseal) {}

  void apply(const UserCreated& event, const Happened& how);
  void apply(const UserSignedIn& event, const Happened& how);
  void apply(const UserRenamed& event, const Happened& how);
  void apply(const UserRoleChanged& event, const Happened& how);
  void apply(const UserDeactivated& event, const Happened& how);
  void apply(const UserActivated& event, const Happened& how);
  void apply(const UserGroupChanged& event, const Happened& how);
  void apply(const UserPreferencesChanged& event, const Happened& how);
  void apply(const UserPasswordChanged& event, const Happened& how);
  void apply(const UserSignedOutEverywhere& event, const Happened& how);
  void apply(const UserOidcLinked& event, const Happened& how);
  void apply(const UserOidcUnlinked& event, const Happened& how);
  void apply(const UserErased& event, const Happened& how);
  void apply(const GroupDeleted& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  std::optional<std::string> open(UserId id, const Sealed& sealed) const;

  const Unseal* unseal_;
  StatementQueue changes_;  // in the order of the events
  std::map<UserId, Timestamp> signed_in_;
};

}  // namespace annolog::projections
