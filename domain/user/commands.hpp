// Wishes about users, and what may come of them. Personal fields come sealed. The actor's role in
// the context is the one that the directory has now, not the one that a token says.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/expected_version.hpp"
#include "domain/support/result.hpp"
#include "domain/user/state.hpp"

namespace annolog {

inline constexpr std::size_t kMaxPreferencesBytes = 64 * 1024;

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

struct RenameUser {
  UserId user_id;
  ExpectedVersion expected_version;
  Sealed name;
};
BOOST_DESCRIBE_STRUCT(RenameUser, (), (user_id, expected_version, name))

struct ChangeUserRole {
  UserId user_id;
  ExpectedVersion expected_version;
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(ChangeUserRole, (), (user_id, expected_version, role))

struct DeactivateUser {
  UserId user_id;
};
BOOST_DESCRIBE_STRUCT(DeactivateUser, (), (user_id))

struct ActivateUser {
  UserId user_id;
};
BOOST_DESCRIBE_STRUCT(ActivateUser, (), (user_id))

struct ChangeUserGroup {
  UserId user_id;
  ExpectedVersion expected_version;
  std::optional<GroupId> group_id;
};
BOOST_DESCRIBE_STRUCT(ChangeUserGroup, (), (user_id, expected_version, group_id))

// Top-level members are replaced; those that are null are removed.
struct ChangePreferences {
  UserId user_id;
  ExpectedVersion expected_version;
  Preferences changes;
};
BOOST_DESCRIBE_STRUCT(ChangePreferences, (), (user_id, expected_version, changes))

// By the operator, who needs no old one.
struct ResetPassword {
  UserId user_id;
  Sealed password_hash;
};
BOOST_DESCRIBE_STRUCT(ResetPassword, (), (user_id, password_hash))

// Whom the provider named so far is nobody here, until they sign in by their address again.
struct UnlinkOidc {
  UserId user_id;
};
BOOST_DESCRIBE_STRUCT(UnlinkOidc, (), (user_id))

struct RecordUserExport {
  std::string format;
};
BOOST_DESCRIBE_STRUCT(RecordUserExport, (), (format))

struct EraseUser {
  UserId user_id;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(EraseUser, (), (user_id, reason))

struct Taken {
  bool username = false;
  bool email = false;
};

// A user, and what the directory knows beside it.
struct UserCase {
  UserState user;
  bool is_last_admin = false;             // an active super_admin, and there is no other
  bool email_taken = false;               // another active user has this one's address
  bool group_exists = false;              // the group that the command names
  std::vector<std::string> keys;          // of all that is sealed about this person
  std::vector<InvitationId> invitations;  // pending ones, which those keys seal
};

// Super_admins create users; the service itself creates the first one.
Result<Events> decide(const CreateUser& command, const Context& context, Taken taken,
                      UserId next_id);
Result<Events> decide(const UserCase& on, const RenameUser& command, const Context& context);
Result<Events> decide(const UserCase& on, const ChangeUserRole& command, const Context& context);
Result<Events> decide(const UserCase& on, const DeactivateUser& command, const Context& context);
Result<Events> decide(const UserCase& on, const ActivateUser& command, const Context& context);
Result<Events> decide(const UserCase& on, const ChangeUserGroup& command, const Context& context);
Result<Events> decide(const UserCase& on, const ChangePreferences& command, const Context& context);
Result<Events> decide(const UserCase& on, const ResetPassword& command, const Context& context);
Result<Events> decide(const UserCase& on, const UnlinkOidc& command, const Context& context);
Result<Events> decide(const RecordUserExport& command, const Context& context);
Result<Events> decide(const UserCase& on, const EraseUser& command, const Context& context);

}  // namespace annolog
