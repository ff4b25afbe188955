// What decisions about a user need, and its fold. Kept in the directory shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"
#include "domain/user/events.hpp"

namespace annolog {

// Personal fields as they lie in the log, sealed.
struct UserState {
  UserId id;  // 0: does not exist
  Role role = Role::viewer;
  bool active = true;
  bool erased = false;
  Sealed username;
  Sealed name;
  std::optional<Sealed> email;
  std::string username_digest;
  std::optional<std::string> email_digest;
  std::optional<std::string> oidc_digest;  // whom the provider calls so is this user
  std::optional<GroupId> group_id;         // of a group that may be gone: then none
  Preferences preferences;
  std::int64_t generation = 0;  // of tokens: older ones are void
  std::int64_t version = 0;     // rises with all but sign-ins
  Timestamp created_at;
  std::optional<Timestamp> last_login_at;
  std::vector<std::string> erased_keys;  // that must be gone
  bool operator==(const UserState&) const = default;

  bool is_active_admin() const { return active && !erased && role == Role::super_admin; }
};
BOOST_DESCRIBE_STRUCT(UserState, (),
                      (id, role, active, erased, username, name, email, username_digest,
                       email_digest, oidc_digest, group_id, preferences, generation, version,
                       created_at, last_login_at, erased_keys))

UserState born(const UserCreated& event, const Happened& how);
void evolve(UserState& state, const UserSignedIn& event, const Happened& how);
void evolve(UserState& state, const UserRenamed& event, const Happened& how);
void evolve(UserState& state, const UserRoleChanged& event, const Happened& how);
void evolve(UserState& state, const UserDeactivated& event, const Happened& how);
void evolve(UserState& state, const UserActivated& event, const Happened& how);
void evolve(UserState& state, const UserGroupChanged& event, const Happened& how);
void evolve(UserState& state, const UserPreferencesChanged& event, const Happened& how);
void evolve(UserState& state, const UserPasswordChanged& event, const Happened& how);
void evolve(UserState& state, const UserSignedOutEverywhere& event, const Happened& how);
void evolve(UserState& state, const UserOidcLinked& event, const Happened& how);
void evolve(UserState& state, const UserOidcUnlinked& event, const Happened& how);
void evolve(UserState& state, const UserErased& event, const Happened& how);

}  // namespace annolog
