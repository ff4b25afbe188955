// Wishes about users, and what may come of them. Personal fields come sealed.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/identity/events.hpp"
#include "domain/project/commands.hpp"

namespace annolog {

struct CreateUser {
  Role role = Role::viewer;
  Sealed username;
  Sealed name;
  std::optional<Sealed> email;
  Sealed password_hash;
  std::string username_digest;
  std::optional<std::string> email_digest;
};
BOOST_DESCRIBE_STRUCT(CreateUser, (),
                      (role, username, name, email, password_hash, username_digest, email_digest))

// The password was right; sets last_login_at.
struct SignInUser {
  UserId user_id;
};
BOOST_DESCRIBE_STRUCT(SignInUser, (), (user_id))

// What the directory keeps of a user: personal fields as they lie in the log, sealed.
struct UserState {
  UserId id;  // 0: does not exist
  Role role = Role::viewer;
  bool active = true;
  Sealed username;
  Sealed name;
  std::optional<Sealed> email;
  Timestamp created_at;
  std::optional<Timestamp> last_login_at;
  bool operator==(const UserState&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserState, (),
                      (id, role, active, username, name, email, created_at, last_login_at))

struct Taken {
  bool username = false;
  bool email = false;
};

// Super_admins create users; the service itself creates the first one.
Result<Events> decide(const CreateUser& command, const Context& context, Taken taken,
                      UserId next_id);
Result<Events> decide(const UserState& state, const SignInUser& command);

UserState born(const UserCreated& event, const Happened& how);
void evolve(UserState& state, const UserSignedIn& event, const Happened& how);

}  // namespace annolog
