#include <algorithm>

#include "domain/identity/refusals.hpp"
#include "domain/session/commands.hpp"
#include "domain/user/ownership.hpp"

namespace annolog {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

DomainError invalid_refresh() {
  return unauthenticated("INVALID_REFRESH_TOKEN", "The session has ended; sign in again.");
}

DomainError no_proof() {
  return unauthenticated("INVALID_CREDENTIALS", "Username or password is wrong.");
}

DomainError no_account() {
  return unauthenticated(
      "OIDC_NO_ACCOUNT",
      "No active user has the verified e-mail address of this account; ask for an invitation.");
}

DomainError linked_to_another() {
  return unauthenticated(
      "OIDC_OTHER_ACCOUNT",
      "The user with this e-mail address signs in by another account of the provider; a "
      "super_admin can unlink it.");
}

SessionOpened opened(UserId user, std::int64_t generation, const NewSession& session,
                     const Context& context, SessionId id) {
  return {id, user, generation, session.refresh_digest, context.now + session.refresh_ms};
}

bool is_live(const UserState& user, const SessionState& session) {
  return user.id && user.active && !user.erased && session.generation == user.generation;
}

// Refused when as many as are allowed lie within the last minute; then until the oldest leaves it.
Result<void> check_rate(const RefreshTimes& refreshes, std::int64_t most, Timestamp now) {
  const auto in_minute = std::ranges::lower_bound(refreshes.at, Timestamp{now.ms - kMinuteMs + 1},
                                                  {}, [](Timestamp at) { return at; });
  const auto count = refreshes.at.end() - in_minute;
  if (count < most) return success();
  const Timestamp leaves = refreshes.at[refreshes.at.size() - static_cast<std::size_t>(most)];
  const std::int64_t wait_ms = leaves.ms + kMinuteMs - now.ms;
  return DomainError{DomainError::Kind::limited,
                     "REFRESH_RATE_LIMITED",
                     "Too many refreshes within a minute.",
                     {},
                     {},
                     static_cast<int>((wait_ms + 999) / 1000)};
}

}  // namespace

Result<Events> decide(const UserState& user, const SignIn& command, const Context& context,
                      SessionId next_id) {
  if (!user.id || !user.active || user.erased || command.generation != user.generation)
    return no_proof();
  return Events{UserSignedIn{user.id},
                opened(user.id, user.generation, command.session, context, next_id)};
}

Result<Events> decide(const UserState& user, const SignInByOidc& command, const Context& context,
                      SessionId next_id) {
  if (!user.id || !user.active || user.erased) return no_account();
  if (user.oidc_digest && *user.oidc_digest != command.subject_digest) return linked_to_another();
  Events events;
  if (!user.oidc_digest) events.push_back(UserOidcLinked{user.id, command.subject_digest});
  events.push_back(UserSignedIn{user.id});
  events.push_back(opened(user.id, user.generation, command.session, context, next_id));
  return events;
}

Result<Events> decide(const UserState& user, const SignOutEverywhere& command,
                      const Context& context, SessionId next_id) {
  BOOST_OUTCOME_TRY(require_own(user, command.user_id, context));
  const std::int64_t generation = user.generation + 1;
  return Events{UserSignedOutEverywhere{user.id, generation},
                opened(user.id, generation, command.session, context, next_id)};
}

Result<Events> decide(const UserState& user, const ChangePassword& command, const Context& context,
                      SessionId next_id) {
  BOOST_OUTCOME_TRY(require_own(user, command.user_id, context));
  if (command.generation != user.generation)
    return conflict("SIGNED_OUT", "All sessions were ended meanwhile.");
  const std::int64_t generation = user.generation + 1;
  return Events{UserPasswordChanged{user.id, command.password_hash, generation},
                opened(user.id, generation, command.session, context, next_id)};
}

Result<Events> decide(const SessionCase& on, const RefreshSession& command,
                      const Context& context) {
  const SessionState& session = on.session;
  if (!session.id || session.user_id != context.actor || session.ended) return invalid_refresh();
  if (session.refresh_digest != command.presented_digest)
    return Events{SessionEnded{session.id, session.user_id, SessionEnd::reused}};
  if (!is_live(on.user, session)) return invalid_refresh();
  if (context.now - session.expires_at > kRefreshGraceMs) return invalid_refresh();
  BOOST_OUTCOME_TRY(check_rate(on.refreshes, command.most_per_minute, context.now));
  return Events{SessionRefreshed{session.id, session.user_id, command.next.refresh_digest,
                                 context.now + command.next.refresh_ms}};
}

Result<Events> decide(const SessionState& session, const EndSession& /*command*/,
                      const Context& context) {
  if (!session.id || session.ended || session.user_id != context.actor) return Events{};
  return Events{SessionEnded{session.id, session.user_id, SessionEnd::signed_out}};
}

SessionState born(const SessionOpened& event) {
  return {.id = event.session_id,
          .user_id = event.user_id,
          .generation = event.generation,
          .refresh_digest = event.refresh_digest,
          .expires_at = event.expires_at};
}

void evolve(SessionState& state, const SessionRefreshed& event) {
  state.refresh_digest = event.refresh_digest;
  state.expires_at = event.expires_at;
}

void evolve(SessionState& state, const SessionEnded& /*event*/) { state.ended = true; }

void evolve(RefreshTimes& state, const SessionRefreshed& /*event*/, const Happened& how) {
  std::erase_if(state.at, [&](Timestamp at) { return how.at - at >= kMinuteMs; });
  state.at.push_back(how.at);
}

}  // namespace annolog
