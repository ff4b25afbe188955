// How an invitation is shown: never with its token.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/invitation/commands.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct InvitationView {
  InvitationId id;
  std::string email;  // empty: erased
  Role role = Role::viewer;
  std::optional<std::string> group_name;
  InvitationStatus status = InvitationStatus::pending;
  UserId inviter_id;
  Timestamp created_at;
  Timestamp expires_at;
  std::optional<Timestamp> accepted_at;
  std::optional<Timestamp> revoked_at;
  bool operator==(const InvitationView&) const = default;
};
BOOST_DESCRIBE_STRUCT(InvitationView, (),
                      (id, email, role, group_name, status, inviter_id, created_at, expires_at,
                       accepted_at, revoked_at))

}  // namespace annolog
