// Facts about users; they live in the directory shard. Personal fields are sealed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/describe/class.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/identity/sealed.hpp"
#include "domain/support/ids.hpp"

namespace annolog {

struct UserCreated {
  static constexpr std::string_view kType = "user.created";
  static constexpr int kVersion = 1;
  UserId user_id;
  Role role = Role::viewer;
  Sealed username;
  Sealed name;
  std::optional<Sealed> email;
  Sealed password_hash;         // argon2id string, sealed like the rest
  std::string username_digest;  // keyed hash: uniqueness without the text
  std::optional<std::string> email_digest;
  bool operator==(const UserCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserCreated, (),
                      (user_id, role, username, name, email, password_hash, username_digest,
                       email_digest))

struct UserSignedIn {
  static constexpr std::string_view kType = "user.signed_in";
  static constexpr int kVersion = 1;
  UserId user_id;
  bool operator==(const UserSignedIn&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserSignedIn, (), (user_id))

}  // namespace annolog
