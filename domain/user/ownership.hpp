// Whose account it is.
#pragma once

#include "domain/identity/context.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/expected_version.hpp"
#include "domain/support/result.hpp"
#include "domain/user/state.hpp"

namespace annolog {

inline Result<void> require_there(const UserState& user) {
  if (!user.id || user.erased) return not_found("user");
  return success();
}

inline Result<void> require_seen(const UserState& user, const ExpectedVersion& expected) {
  if (!matches(expected, user.version)) return version_mismatch(user.version);
  return success();
}

// Everybody's own account: of others it is not even said that they exist.
inline Result<void> require_own(const UserState& user, UserId id, const Context& context) {
  if (context.actor != id || !user.active) return not_found("user");
  return require_there(user);
}

}  // namespace annolog
