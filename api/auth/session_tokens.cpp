#include "api/auth/session_tokens.hpp"

#include <array>
#include <utility>

#include "api/auth/cookies.hpp"
#include "api/auth/socket_door.hpp"
#include "domain/support/number.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/random.hpp"

namespace annolog::api {
namespace {

constexpr std::size_t kSecretLength = 43;  // of 62 letters: 256 bits
constexpr std::size_t kTokenNumberLength = 16;
constexpr std::string_view kCookiePath = "/api/v1/auth";
// A cookie has one path; the sockets have two, by their names and by the aliases.
constexpr std::array<std::string_view, 2> kSocketCookiePaths{"/ws", "/api/v1/ws"};

// The number before the next dot, which is taken away with it; 0 when there is none.
std::int64_t take_part(std::string_view& text) {
  const auto number = take_number<std::int64_t>(text);
  if (!number || !text.starts_with('.')) return 0;
  text.remove_prefix(1);
  return *number;
}

std::string cookie(const Call& call, const Services& services, std::string_view value,
                   std::int64_t max_age_s) {
  return set_cookie(
      call, services,
      {.name = kRefreshCookie, .value = value, .path = kCookiePath, .max_age_s = max_age_s});
}

http::Reply with_socket_cookies(http::Reply reply, const Call& call, const Services& services,
                                std::string_view value, std::int64_t max_age_s) {
  for (const std::string_view path : kSocketCookiePaths)
    reply.headers.emplace_back(
        "Set-Cookie",
        set_cookie(call, services,
                   {.name = kSocketCookie, .value = value, .path = path, .max_age_s = max_age_s}));
  return reply;
}

// Tells a token that was given once from a guess: a guess must not end anybody's session.
std::string mark_of(const Services& services, UserId user, SessionId session,
                    std::string_view secret) {
  const auto mac = platform::hmac_sha256(
      services.secrets_key, "refresh token\n" + std::to_string(user.value) + "." +
                                std::to_string(session.value) + "." + std::string(secret));
  return platform::to_base64url(platform::as_bytes_view(mac));
}

}  // namespace

std::optional<RefreshToken> refresh_token_of(const http::RequestHead& head,
                                             const Services& services) {
  const auto cookie = head.cookie(kRefreshCookie);
  if (!cookie) return std::nullopt;
  std::string_view rest = *cookie;
  RefreshToken token;
  token.user_id = UserId{take_part(rest)};
  token.session_id = SessionId{take_part(rest)};
  if (token.user_id.value <= 0 || token.session_id.value <= 0 || rest.size() < kSecretLength)
    return std::nullopt;
  token.secret = rest.substr(0, kSecretLength);
  const std::string mark = mark_of(services, token.user_id, token.session_id, token.secret);
  if (!platform::constant_time_equal(rest.substr(kSecretLength), mark)) return std::nullopt;
  return token;
}

std::string new_refresh_secret() { return platform::random_base62(kSecretLength); }

std::string refresh_digest(std::string_view secret) {
  return platform::to_base64url(platform::as_bytes_view(platform::sha256(secret)));
}

NewSession new_session(const Services& services, std::string_view secret) {
  return {refresh_digest(secret), services.options.refresh_token_ms};
}

Result<void> require_session(const Call& call) {
  if (!call.caller().by_api_key) return success();
  return DomainError{DomainError::Kind::forbidden,
                     "SESSION_NEEDED",
                     "An API key may not do this; sign in.",
                     {},
                     {},
                     0};
}

SessionId session_of(std::string_view jti) { return SessionId{take_part(jti)}; }

namespace {

std::string new_token(const Call& call, const Services& services,
                      const commands::SessionReply& granted, std::string_view typ) {
  const auto& user = granted.user;
  const std::string jti =
      std::to_string(granted.session.id.value) + "." + platform::random_base62(kTokenNumberLength);
  return services.jwt.create({.sub = user.id,
                              .role = std::string(to_string(user.role)),
                              .jti = jti,
                              .gen = user.generation,
                              .iat = call.now(),
                              .exp = call.now() + services.options.access_token_ms,
                              .typ = std::string(typ)});
}

}  // namespace

TokenReply token_reply(const Call& call, const Services& services,
                       const commands::SessionReply& granted) {
  TokenReply reply;
  reply.expires_in = services.options.access_token_ms / 1000;
  reply.access_token = new_token(call, services, granted, "access");
  return reply;
}

http::Reply with_session(http::Reply reply, const Call& call, const Services& services,
                         const commands::SessionReply& granted, std::string_view secret) {
  const std::string value = std::to_string(granted.user.id.value) + "." +
                            std::to_string(granted.session.id.value) + "." + std::string(secret) +
                            mark_of(services, granted.user.id, granted.session.id, secret);
  const std::int64_t max_age_s = (services.options.refresh_token_ms + kRefreshGraceMs) / 1000;
  const std::string of_sockets = new_token(call, services, granted, kSocketToken);
  return with_socket_cookies(std::move(reply), call, services, of_sockets,
                             services.options.access_token_ms / 1000)
      .header("Cache-Control", "no-store")
      .header("Set-Cookie", cookie(call, services, value, max_age_s));
}

http::Reply session_answer(const Call& call, const Services& services, Done& done,
                           std::string_view secret) {
  const auto& granted = done.get<commands::SessionReply>();
  auto reply = http::reply(200, token_reply(call, services, granted));
  return written(with_session(std::move(reply), call, services, granted, secret), done);
}

http::Reply without_session(http::Reply reply, const Call& call, const Services& services) {
  return with_socket_cookies(std::move(reply), call, services, "", 0)
      .header("Set-Cookie", cookie(call, services, "", 0));
}

awaitable<Result<Done>> run_as(Call& call, Services& services, UserId user,
                               commands::Command command) {
  const auto send = [&services, user](commands::Envelope envelope) {
    envelope.actor = user;
    services.bus.send(std::move(envelope));
  };
  auto done = co_await run_unkeyed(call, services, std::move(command), send);
  if (done) {  // whose session it is, whoever asked for it: the audit names them
    if (auto* granted = std::get_if<commands::SessionReply>(&done.value().reply)) {
      call.audit().actor = granted->user.id;
      call.audit().role = granted->user.role;
      call.audit().key_id = granted->user.username.key_id;
    }
  }
  co_return done;
}

}  // namespace annolog::api
