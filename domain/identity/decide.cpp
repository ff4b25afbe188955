#include "domain/identity/commands.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog {

Result<Events> decide(const CreateUser& command, const Context& context, Taken taken,
                      UserId next_id) {
  if (context.actor != kSystemUser && !may_globally(context.role, Action::govern)) {
    return forbidden(Action::govern);
  }
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

Result<Events> decide(const UserState& state, const SignInUser& command) {
  if (!state.id || !state.active) return not_found("user");
  return Events{UserSignedIn{command.user_id}};
}

UserState born(const UserCreated& event, const Happened& how) {
  return {.id = event.user_id,
          .role = event.role,
          .username = event.username,
          .name = event.name,
          .email = event.email,
          .created_at = how.at,
          .last_login_at = {}};
}

void evolve(UserState& state, const UserSignedIn& /*event*/, const Happened& how) {
  state.last_login_at = how.at;
}

}  // namespace annolog
