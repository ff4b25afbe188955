// Wishes about sessions, and what may come of them (spec, "Authentication" 1 to 3; decisions,
// section 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"
#include "domain/user/state.hpp"

namespace annolog {

// A refresh token is honoured so long after its expiry.
inline constexpr std::int64_t kRefreshGraceMs = 7LL * 24 * 3600 * 1000;

// What is kept of the refresh token that its holder gets.
struct NewSession {
  std::string refresh_digest;
  std::int64_t refresh_ms = 0;  // its lifetime
};
BOOST_DESCRIBE_STRUCT(NewSession, (), (refresh_digest, refresh_ms))

// The password was right, or another proof, at `generation`: it is none any more once that has
// risen. Sets last_login_at and opens a session.
struct SignIn {
  UserId user_id;
  std::int64_t generation = 0;
  NewSession session;
};
BOOST_DESCRIBE_STRUCT(SignIn, (), (user_id, generation, session))

// The OpenID Connect provider has said who it is. The first time it is the user with this address,
// which the provider vouches for; from then on whoever has this subject, whatever their address.
struct SignInByOidc {
  std::string subject_digest;
  std::optional<std::string> email_digest;  // absent: none that is verified
  NewSession session;
};
BOOST_DESCRIBE_STRUCT(SignInByOidc, (), (subject_digest, email_digest, session))

// Ends all sessions of the user, and opens one for who asked.
struct SignOutEverywhere {
  UserId user_id;
  NewSession session;
};
BOOST_DESCRIBE_STRUCT(SignOutEverywhere, (), (user_id, session))

// The old password was right at `generation`: it is no proof any more once that has risen. Ends all
// sessions, as above.
struct ChangePassword {
  UserId user_id;
  Sealed password_hash;
  std::int64_t generation = 0;
  NewSession session;
};
BOOST_DESCRIBE_STRUCT(ChangePassword, (), (user_id, password_hash, generation, session))

// By the session's user, who is known by the cookie alone.
struct RefreshSession {
  SessionId session_id;
  std::string presented_digest;
  NewSession next;
  std::int64_t most_per_minute = 0;
};
BOOST_DESCRIBE_STRUCT(RefreshSession, (), (session_id, presented_digest, next, most_per_minute))

struct EndSession {
  SessionId session_id;
};
BOOST_DESCRIBE_STRUCT(EndSession, (), (session_id))

struct SessionState {
  SessionId id;  // 0: does not exist
  UserId user_id;
  std::int64_t generation = 0;
  std::string refresh_digest;
  Timestamp expires_at;
  bool ended = false;
  bool operator==(const SessionState&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionState, (),
                      (id, user_id, generation, refresh_digest, expires_at, ended))

// When a user's last tokens were refreshed, oldest first; those of the last minute at least.
struct RefreshTimes {
  std::vector<Timestamp> at;
  bool operator==(const RefreshTimes&) const = default;
};
BOOST_DESCRIBE_STRUCT(RefreshTimes, (), (at))

struct SessionCase {
  SessionState session;
  UserState user;  // whose session it is
  RefreshTimes refreshes;
};

Result<Events> decide(const UserState& user, const SignIn& command, const Context& context,
                      SessionId next_id);
// `user`: the one with this subject; without one, the active one with this address.
Result<Events> decide(const UserState& user, const SignInByOidc& command, const Context& context,
                      SessionId next_id);
Result<Events> decide(const UserState& user, const SignOutEverywhere& command,
                      const Context& context, SessionId next_id);
Result<Events> decide(const UserState& user, const ChangePassword& command, const Context& context,
                      SessionId next_id);
// A used token ends the session: that is an event, not a refusal.
Result<Events> decide(const SessionCase& on, const RefreshSession& command, const Context& context);
Result<Events> decide(const SessionState& session, const EndSession& command,
                      const Context& context);

SessionState born(const SessionOpened& event);
void evolve(SessionState& state, const SessionRefreshed& event);
void evolve(SessionState& state, const SessionEnded& event);
void evolve(RefreshTimes& state, const SessionRefreshed& event, const Happened& how);

}  // namespace annolog
