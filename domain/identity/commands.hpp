// Wishes about users, and what may come of them. Personal fields come sealed.
#pragma once

#include <optional>
#include <string>

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

// The password was right; sets last_login_at.
struct SignInUser {
  UserId user_id;
};

// What the directory keeps of a user.
struct UserState {
  UserId id;  // 0: does not exist
  Role role = Role::viewer;
  bool active = true;
  bool operator==(const UserState&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserState, (), (id, role, active))

struct Taken {
  bool username = false;
  bool email = false;
};

// Super_admins create users; the service itself creates the first one.
Result<Events> decide(const CreateUser& command, const Context& context, Taken taken,
                      UserId next_id);
Result<Events> decide(const UserState& state, const SignInUser& command);

}  // namespace annolog
