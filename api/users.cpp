#include "api/users.hpp"

#include <algorithm>

#include "domain/codec/domain_json.hpp"
#include "domain/support/text.hpp"
#include "platform/name_text.hpp"

namespace annolog::api {
namespace {

bool has(const std::string& text, char first, char last) {
  return std::any_of(text.begin(), text.end(), [&](char c) { return c >= first && c <= last; });
}

FieldError missing_text(const char* field) { return {{field}, "Must not be empty.", "length"}; }

}  // namespace

void password_rule(http::FieldRules rules) {
  rules.length(8, 1024)
      .pattern(R"((?=[\s\S]*[a-z])(?=[\s\S]*[A-Z])(?=[\s\S]*[0-9])[\s\S]*)",
               "must have an upper case letter, a lower case one and a digit")
      .describe("At least 8 characters with upper case, lower case and a digit.");
}

Result<void> check_password(const std::string& password, const char* field) {
  const bool strong = character_count(password) >= 8 && has(password, 'a', 'z') &&
                      has(password, 'A', 'Z') && has(password, '0', '9');
  if (strong && password.size() <= platform::PasswordHasher::kMaxPasswordBytes) return success();
  return validation_error({{{field},
                            "At least 8 characters with upper case, lower case and a digit, at "
                            "most 1024 bytes.",
                            "weak_password"}});
}

Result<CreateUser> prepare_user(const NewUser& user, PersonalData& personal,
                                const platform::PasswordHasher& hasher) {
  const std::string username = platform::composed(trimmed(user.username));
  const std::string name = platform::composed(trimmed(user.name));
  std::vector<FieldError> errors;
  if (username.empty()) errors.push_back(missing_text("username"));
  if (!platform::is_one_persons_writing(username))
    errors.push_back({{"username"},
                      "Mixes scripts that no language mixes, or has characters that nobody sees.",
                      "look_alike"});
  if (name.empty()) errors.push_back(missing_text("name"));
  if (auto strong = check_password(user.password); !strong) {
    errors.push_back(strong.error().errors.front());
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  const std::string key = personal.new_key();
  CreateUser command;
  command.role = user.role;
  command.username = personal.seal(key, username);
  command.name = personal.seal(key, name);
  command.username_digest = personal.digest(username);
  if (user.email) {
    const std::string email = lower_ascii(trimmed(*user.email));
    command.email = personal.seal(key, email);
    command.email_digest = personal.digest(email);
  }
  command.password_hash = personal.seal(key, hasher.hash(user.password));
  return command;
}

UserView to_view(const commands::UserReply& reply, const PersonalData& personal) {
  const UserState& user = reply.user;
  UserView view;
  view.id = user.id;
  view.username = personal.open(user.username).value_or("");
  view.name = personal.open(user.name).value_or("");
  if (user.email) view.email = personal.open(*user.email);
  view.role = user.role;
  view.group_id = user.group_id;
  view.group_name = reply.group_name;
  view.is_active = user.active;
  view.preferences = JsonText{codec::to_json_text(user.preferences)};
  view.version = user.version;
  view.created_at = user.created_at;
  view.last_login_at = user.last_login_at;
  return view;
}

}  // namespace annolog::api
