#include <utility>

#include "domain/identity/refusals.hpp"
#include "domain/support/length.hpp"
#include "domain/user/commands.hpp"
#include "domain/user/ownership.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxErasureReason = 500;

bool governs(const Context& context) {
  return context.actor == kSystemUser || may_globally(context.role, Action::govern);
}

// Others' accounts are a super_admin's affair, and so that of the service itself.
Result<void> require_govern(const UserState& user, const Context& context) {
  if (!governs(context)) return forbidden(Action::govern);
  return require_there(user);
}

DomainError last_admin() {
  return conflict("LAST_SUPER_ADMIN", "This is the last active super_admin.");
}

std::size_t bytes_of(const Preferences& preferences) {
  std::size_t bytes = 2;
  for (const auto& [name, value] : preferences) bytes += name.size() + value.text.size() + 4;
  return bytes;
}

}  // namespace

Result<Events> decide(const CreateUser& command, const Context& context, Taken taken,
                      UserId next_id) {
  if (!governs(context)) return forbidden(Action::govern);
  if (taken.username) return conflict("USERNAME_TAKEN", "A user with this username exists.");
  if (taken.email) return conflict("EMAIL_TAKEN", "An active user has this e-mail address.");
  return Events{UserCreated{.user_id = next_id,
                            .role = command.role,
                            .username = command.username,
                            .name = command.name,
                            .email = command.email,
                            .password_hash = command.password_hash,
                            .username_digest = command.username_digest,
                            .email_digest = command.email_digest}};
}

Result<Events> decide(const UserCase& on, const RenameUser& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_own(on.user, command.user_id, context));
  BOOST_OUTCOME_TRY(require_seen(on.user, command.expected_version));
  return Events{UserRenamed{command.user_id, command.name}};
}

Result<Events> decide(const UserCase& on, const ChangeUserRole& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(on.user, context));
  BOOST_OUTCOME_TRY(require_seen(on.user, command.expected_version));
  if (on.user.role == command.role) return Events{};
  if (on.is_last_admin) return last_admin();
  return Events{UserRoleChanged{command.user_id, on.user.role, command.role}};
}

Result<Events> decide(const UserCase& on, const DeactivateUser& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(on.user, context));
  if (!on.user.active) return Events{};
  if (on.is_last_admin) return last_admin();
  return Events{UserDeactivated{command.user_id, on.user.generation + 1}};
}

Result<Events> decide(const UserCase& on, const ActivateUser& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(on.user, context));
  if (on.user.active) return Events{};
  if (on.email_taken) return conflict("EMAIL_TAKEN", "An active user has this e-mail address.");
  return Events{UserActivated{command.user_id}};
}

Result<Events> decide(const UserCase& on, const ChangeUserGroup& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(on.user, context));
  BOOST_OUTCOME_TRY(require_seen(on.user, command.expected_version));
  if (command.group_id && !on.group_exists)
    return validation_error({{{"group_id"}, "No group has this id.", "unknown_group"}});
  if (on.user.group_id == command.group_id) return Events{};
  return Events{UserGroupChanged{command.user_id, command.group_id}};
}

Result<Events> decide(const UserCase& on, const ChangePreferences& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_own(on.user, command.user_id, context));
  BOOST_OUTCOME_TRY(require_seen(on.user, command.expected_version));
  Preferences after = on.user.preferences;
  for (const auto& [name, value] : command.changes) {
    if (value.text == "null") {
      after.erase(name);
    } else {
      after.insert_or_assign(name, value);
    }
  }
  if (bytes_of(after) > kMaxPreferencesBytes)
    return validation_error({{{}, "All preferences together: at most 64 KiB of JSON.", "length"}});
  if (after == on.user.preferences) return Events{};
  return Events{UserPreferencesChanged{command.user_id, std::move(after)}};
}

Result<Events> decide(const UserCase& on, const ResetPassword& command, const Context& context) {
  if (context.actor != kSystemUser) return forbidden(std::string("operator of the machine"));
  BOOST_OUTCOME_TRY(require_there(on.user));
  return Events{
      UserPasswordChanged{command.user_id, command.password_hash, on.user.generation + 1}};
}

Result<Events> decide(const UserCase& on, const UnlinkOidc& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(on.user, context));
  if (!on.user.oidc_digest) return Events{};
  return Events{UserOidcUnlinked{command.user_id}};
}

Result<Events> decide(const RecordUserExport& command, const Context& context) {
  if (!governs(context)) return forbidden(Action::govern);
  return Events{UserListExported{context.actor, command.format}};
}

Result<Events> decide(const UserCase& on, const EraseUser& command, const Context& context) {
  if (!governs(context)) return forbidden(Action::govern);
  if (!on.user.id) return not_found("user");
  std::vector<FieldError> errors;
  check_length(trimmed(command.reason), 1, kMaxErasureReason, "reason", errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  if (on.user.erased) return Events{};
  if (on.is_last_admin) return last_admin();
  Events events;
  for (const InvitationId id : on.invitations)
    events.emplace_back(InvitationRevoked{id, Revocation::revoked});
  events.emplace_back(UserErased{command.user_id, on.keys, trimmed(command.reason)});
  return events;
}

}  // namespace annolog
