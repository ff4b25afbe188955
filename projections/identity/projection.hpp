// The rows that a batch of events makes of sessions, API keys, groups and invitations: few, so each
// change is a statement. One thread; see engine/row_batch.hpp.
#pragma once

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "projections/engine/unseal.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class IdentityRows {
 public:
  explicit IdentityRows(const Unseal& unseal) : unseal_(&unseal) {}

  void apply(const SessionEnded& event, const Happened& how);

  void apply(const ApiKeyCreated& event, const Happened& how);
  void apply(const ApiKeyRevoked& event, const Happened& how);
  void apply(const ApiKeyUsed& event, const Happened& how);

  void apply(const GroupCreated& event, const Happened& how);
  void apply(const GroupUpdated& event, const Happened& how);
  void apply(const GroupDeleted& event, const Happened& how);

  void apply(const InvitationCreated& event, const Happened& how);
  void apply(const InvitationResent& event, const Happened& how);
  void apply(const InvitationRevoked& event, const Happened& how);
  void apply(const InvitationAccepted& event, const Happened& how);
  void apply(const UserErased& event, const Happened& how);

  void take(StatementQueue& out) { out.append(std::move(changes_)); }

 private:
  const Unseal* unseal_;
  StatementQueue changes_;
};

}  // namespace annolog::projections
