// The two tokens of a session: the access token that requests carry, and the refresh token in its
// cookie (spec, "Authentication" 1 to 3; decisions, section 2). Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "api/work.hpp"
#include "domain/session/commands.hpp"

namespace annolog::api {

inline constexpr std::string_view kRefreshCookie = "annolog_refresh";
// For sockets, whose requests carry nothing else of a browser: an access token by another type,
// good for nothing else, which each refresh renews (docs/decisions/0029).
inline constexpr std::string_view kSocketCookie = "annolog_socket";

struct TokenReply {
  std::string access_token;
  std::string token_type = "bearer";
  std::int64_t expires_in = 0;  // seconds
};
BOOST_DESCRIBE_STRUCT(TokenReply, (), (access_token, token_type, expires_in))

// What a cookie says of its session: `<user>.<session>.<secret><mark>`. The mark proves that it was
// given once, the secret that it is the newest.
struct RefreshToken {
  UserId user_id;
  SessionId session_id;
  std::string secret;
};
// Nothing when there is no cookie, or it was never given.
std::optional<RefreshToken> refresh_token_of(const http::RequestHead& head,
                                             const Services& services);

std::string new_refresh_secret();
std::string refresh_digest(std::string_view secret);
NewSession new_session(const Services& services, std::string_view secret);

// An API key may not become more than it is: a session, a password, another key. 403
// SESSION_NEEDED.
Result<void> require_session(const Call& call);

// The session that a token's jti belongs to.
SessionId session_of(std::string_view jti);

TokenReply token_reply(const Call& call, const Services& services,
                       const commands::SessionReply& granted);
// Puts the cookies beside the answer, which no cache may keep.
http::Reply with_session(http::Reply reply, const Call& call, const Services& services,
                         const commands::SessionReply& granted, std::string_view secret);
// The whole answer, where a command has opened a session or gone on with one.
http::Reply session_answer(const Call& call, const Services& services, Done& done,
                           std::string_view secret);
http::Reply without_session(http::Reply reply, const Call& call, const Services& services);

// The command as that user, who is known by something else than an access token, and without an
// idempotency key: secrets can't be given again.
awaitable<Result<Done>> run_as(Call& call, Services& services, UserId user,
                               commands::Command command);

}  // namespace annolog::api
