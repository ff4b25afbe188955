// Facts about users; they live in the directory shard. Personal fields are sealed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/identity/sealed.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"

namespace annolog {

// What a user has set for its own screens: values by name.
using Preferences = std::map<std::string, JsonText>;

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

struct UserRenamed {
  static constexpr std::string_view kType = "user.renamed";
  static constexpr int kVersion = 1;
  UserId user_id;
  Sealed name;
  bool operator==(const UserRenamed&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserRenamed, (), (user_id, name))

struct UserRoleChanged {
  static constexpr std::string_view kType = "user.role_changed";
  static constexpr int kVersion = 1;
  UserId user_id;
  Role old_role = Role::viewer;
  Role new_role = Role::viewer;
  bool operator==(const UserRoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserRoleChanged, (), (user_id, old_role, new_role))

// Nothing that the user holds opens a door any more, until the user is activated.
struct UserDeactivated {
  static constexpr std::string_view kType = "user.deactivated";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::int64_t generation = 0;  // see UserSignedOutEverywhere
  bool operator==(const UserDeactivated&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserDeactivated, (), (user_id, generation))

struct UserActivated {
  static constexpr std::string_view kType = "user.activated";
  static constexpr int kVersion = 1;
  UserId user_id;
  bool operator==(const UserActivated&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserActivated, (), (user_id))

struct UserGroupChanged {
  static constexpr std::string_view kType = "user.group_changed";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::optional<GroupId> group_id;
  bool operator==(const UserGroupChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserGroupChanged, (), (user_id, group_id))

// The preferences after the change, whole.
struct UserPreferencesChanged {
  static constexpr std::string_view kType = "user.preferences_changed";
  static constexpr int kVersion = 1;
  UserId user_id;
  Preferences preferences;
  bool operator==(const UserPreferencesChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserPreferencesChanged, (), (user_id, preferences))

struct UserPasswordChanged {
  static constexpr std::string_view kType = "user.password_changed";
  static constexpr int kVersion = 1;
  UserId user_id;
  Sealed password_hash;
  std::int64_t generation = 0;  // see UserSignedOutEverywhere
  bool operator==(const UserPasswordChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserPasswordChanged, (), (user_id, password_hash, generation))

// Tokens and sessions of a lower generation are void.
struct UserSignedOutEverywhere {
  static constexpr std::string_view kType = "user.signed_out_everywhere";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::int64_t generation = 0;
  bool operator==(const UserSignedOutEverywhere&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserSignedOutEverywhere, (), (user_id, generation))

// Whoever the provider calls so signs in as this user from now on (keyed hash of issuer and
// subject).
struct UserOidcLinked {
  static constexpr std::string_view kType = "user.oidc_linked";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::string subject_digest;
  bool operator==(const UserOidcLinked&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserOidcLinked, (), (user_id, subject_digest))

struct UserOidcUnlinked {
  static constexpr std::string_view kType = "user.oidc_unlinked";
  static constexpr int kVersion = 1;
  UserId user_id;
  bool operator==(const UserOidcUnlinked&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserOidcUnlinked, (), (user_id))

// Somebody took a copy of all users along.
struct UserListExported {
  static constexpr std::string_view kType = "user.list_exported";
  static constexpr int kVersion = 1;
  UserId user_id;  // who took it
  std::string format;
  bool operator==(const UserListExported&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserListExported, (), (user_id, format))

// The keys of what is sealed about this person are gone, or go as soon as this is read: names and
// addresses can't be read again in any event, before or after.
struct UserErased {
  static constexpr std::string_view kType = "user.erased";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::vector<std::string> key_ids;
  std::string reason;
  bool operator==(const UserErased&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserErased, (), (user_id, key_ids, reason))

}  // namespace annolog
