// Makes users: seals what is personal, hashes the password, sends the command. Shared by the route
// and by the first start.
#pragma once

#include <optional>
#include <string>

#include "api/http/schema_rules.hpp"
#include "api/personal_data.hpp"
#include "commands/reply.hpp"
#include "domain/support/result.hpp"
#include "domain/user/commands.hpp"
#include "domain/user/view.hpp"
#include "platform/password.hpp"

namespace annolog::api {

struct NewUser {
  std::string username;
  std::string name;
  std::optional<std::string> email;
  std::string password;
  Role role = Role::viewer;
};

// Spec, "Authentication" 9: at least 8 characters with upper case, lower case and a digit.
Result<void> check_password(const std::string& password, const char* field = "password");
void password_rule(http::FieldRules rules);

// With the personal fields opened; blocking (key files).
UserView to_view(const commands::UserReply& reply, const PersonalData& personal);

// Blocking (argon2id, key files): call from the login threads. The key of a user whose command is
// then refused must be forgotten: command.username.key_id.
Result<CreateUser> prepare_user(const NewUser& user, PersonalData& personal,
                                const platform::PasswordHasher& hasher);

}  // namespace annolog::api
