// Sign-in by an OpenID Connect provider: the browser goes there and comes back with a code (OpenID
// Connect Core 1.0, section 3.1). What goes wrong on the way back is told to the page that the
// browser returns to, since a person is looking at it.
#include <algorithm>
#include <boost/describe/class.hpp>

#include "api/auth/cookies.hpp"
#include "api/auth/login_rate.hpp"
#include "api/auth/oidc_door.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/oidc/pkce.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "platform/objects/percent_encoding.hpp"

namespace annolog::api {

struct OidcView {
  bool enabled = false;
  std::string name;       // what people call the provider
  std::string login_url;  // where a browser goes to sign in; empty when it is off
};
BOOST_DESCRIBE_STRUCT(OidcView, (), (enabled, name, login_url))

struct OidcLoginQuery {
  std::string return_to = "/";
};
BOOST_DESCRIBE_STRUCT(OidcLoginQuery, (), (return_to))

struct OidcCallbackQuery {
  std::optional<std::string> state;
  std::optional<std::string> code;
  std::optional<std::string> error;
  std::optional<std::string> iss;
};
BOOST_DESCRIBE_STRUCT(OidcCallbackQuery, (), (state, code, error, iss))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::OidcLoginQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("return_to")
        .length(1, 1024)
        .defaulted()
        .describe("A path of this site, or a URL of an origin that may call from browsers.");
  }
};

template <>
struct SchemaRules<api::OidcCallbackQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("state").length(0, 200);
    rules.field("code").length(0, 4096);
    rules.field("error").length(0, 200);
    rules.field("iss").length(0, 1024);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using ProviderKind = oidc::ProviderError::Kind;

constexpr std::string_view kCookie = "annolog_oidc";
constexpr std::string_view kCookiePath = "/api/v1/auth/oidc";
constexpr std::string_view kLoginPath = "/api/v1/auth/oidc/login";
constexpr std::string_view kCallbackPath = "/api/v1/auth/oidc/callback";

DomainError refused(DomainError::Kind kind, std::string code, std::string message) {
  const int retry_after_s = kind == DomainError::Kind::unavailable ? 5 : 0;
  return {kind, std::move(code), std::move(message), {}, {}, retry_after_s};
}

DomainError refused_by(const oidc::ProviderError& error, Services& services) {
  services.logger.warn("a sign-in by the OpenID Connect provider failed",
                       {{"kind", to_string(error.kind)}, {"detail", error.detail}});
  if (error.kind == ProviderKind::away)
    return refused(DomainError::Kind::unavailable, "OIDC_AWAY",
                   "The provider does not answer; try again soon.");
  return refused(DomainError::Kind::unauthenticated, "OIDC_FAILED",
                 "The provider's answer does not prove who it is; sign in again.");
}

// What the provider says, from the pool that may wait for it.
template <class Ask>
auto ask(Services& services, Ask question)
    -> awaitable<Result<typename std::invoke_result_t<Ask>::value_type>> {
  using Told = std::invoke_result_t<Ask>;
  using Answer = Result<typename Told::value_type>;
  co_return co_await http::blocking(services.oidc->threads, [&]() -> Answer {
    Told told = question();
    if (!told) return refused_by(told.error(), services);
    return std::move(told).value();
  });
}

Result<void> require_door(const Services& services) {
  if (!services.oidc) return not_found("sign-in by a provider on this service");
  return success();
}

// Others may look like an address, and fold to it, that is not theirs.
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
}

// Nowhere but this site and those that the operator has named: else a link to the sign-in could end
// at a stranger's page.
bool may_return_to(const Services& services, std::string_view where) {
  if (!is_plain(where)) return false;
  if (where.starts_with('/')) return !where.starts_with("//");
  return std::ranges::any_of(services.oidc->return_origins, [&](const std::string& origin) {
    return origin != "*" && where.starts_with(origin) &&
           (where.size() == origin.size() || where[origin.size()] == '/');
  });
}

std::string redirect_uri(const Call& call, const Services& services) {
  return base_url(call, services) + std::string(kCallbackPath);
}

http::Reply redirect(std::string to) {
  return http::Reply{302, {}, std::string(), {}, {}}.header("Location", std::move(to));
}

http::Reply with_attempt(http::Reply reply, const Call& call, const Services& services,
                         const std::string& value) {
  return std::move(reply).header(
      "Set-Cookie", set_cookie(call, services,
                               {.name = kCookie,
                                .value = value,
                                .path = kCookiePath,
                                .max_age_s = value.empty() ? 0 : OidcAttempts::kLifetime.count(),
                                .same_site = "Lax"}));
}

// `where`, told why nobody is signed in.
std::string with_error(const std::string& where, const std::string& code) {
  const auto hash = where.find('#');
  const std::string page = where.substr(0, hash);
  const std::string rest = hash == std::string::npos ? "" : where.substr(hash);
  const char joint = page.find('?') == std::string::npos ? '?' : '&';
  return page + joint + "sign_in_error=" + platform::percent_encode(code) + rest;
}

awaitable<HandlerResult> describe(const Call& call, const Services& services) {
  OidcView view;
  if (services.oidc)
    view = {true, services.oidc->name, base_url(call, services) + std::string(kLoginPath)};
  co_return http::reply(200, view);
}

awaitable<HandlerResult> begin(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(require_door(services));
  BOOST_OUTCOME_CO_TRY(check_login_rate(call, services));
  const std::string& return_to = call.query<OidcLoginQuery>().return_to;
  if (!may_return_to(services, return_to))
    co_return validation_error({{{"return_to"},
                                 "A path that begins with one /, or a URL of an allowed origin.",
                                 "not_allowed"}});
  OidcDoor& door = *services.oidc;
  const OidcAttempt attempt = OidcAttempts::begin(return_to);
  const std::string state = door.attempts.state(attempt);
  const std::string nonce = door.attempts.nonce(attempt);
  const std::string challenge = oidc::code_challenge(door.attempts.verifier(attempt));
  const std::string back = redirect_uri(call, services);
  BOOST_OUTCOME_CO_TRY(auto url, co_await ask(services, [&] {
                         return door.provider.authorization_url({state, nonce, challenge, back});
                       }));
  co_return with_attempt(redirect(std::move(url)).header("Cache-Control", "no-store"), call,
                         services, door.attempts.cookie_of(attempt, call.now()));
}

// The attempt that this browser began and this answer belongs to.
Result<OidcAttempt> attempt_of(const Call& call, const Services& services) {
  const OidcAttempts& attempts = services.oidc->attempts;
  const auto cookie = call.head().cookie(kCookie);
  auto attempt = cookie ? attempts.open(*cookie, call.now()) : std::nullopt;
  const auto& state = call.query<OidcCallbackQuery>().state;
  if (!attempt || !state || !platform::constant_time_equal(attempts.state(*attempt), *state))
    return refused(DomainError::Kind::bad_request, "OIDC_STATE",
                   "This browser did not begin this sign-in, or more than 10 minutes ago; begin "
                   "again.");
  return std::move(*attempt);
}

// RFC 9207: an answer that names another issuer was meant for somebody else.
Result<std::string> code_of(const Call& call, Services& services) {
  const auto& answer = call.query<OidcCallbackQuery>();
  if (answer.iss && *answer.iss != services.oidc->provider.issuer())
    return refused_by({ProviderKind::not_understood, "the answer names another issuer"}, services);
  if (answer.error == "access_denied")
    return refused(DomainError::Kind::unauthenticated, "OIDC_DENIED",
                   "The sign-in was cancelled at the provider.");
  if (answer.error || !answer.code || answer.code->empty())
    return refused_by({ProviderKind::not_understood, "the answer has no code"}, services);
  return *answer.code;
}

awaitable<Result<oidc::IdTokenClaims>> claims_of(Call& call, Services& services,
                                                 const OidcAttempt& attempt) {
  OidcDoor& door = *services.oidc;
  BOOST_OUTCOME_CO_TRY(const auto code, code_of(call, services));
  const std::string back = redirect_uri(call, services);
  const std::string verifier = door.attempts.verifier(attempt);
  const std::string nonce = door.attempts.nonce(attempt);
  co_return co_await ask(services, [&]() -> oidc::ProviderResult<oidc::IdTokenClaims> {
    BOOST_OUTCOME_TRY(const auto token, door.provider.exchange({code, verifier, back}));
    return door.provider.verify(token, nonce);
  });
}

awaitable<Result<http::Reply>> sign_in(Call& call, Services& services, const OidcAttempt& attempt) {
  BOOST_OUTCOME_CO_TRY(const auto claims, co_await claims_of(call, services, attempt));
  const std::string secret = new_refresh_secret();
  SignInByOidc command;
  command.subject_digest =
      services.personal_data.exact_digest(services.oidc->provider.issuer() + "\n" + claims.sub);
  if (claims.email && claims.email_verified && is_ascii(*claims.email))
    command.email_digest = services.personal_data.digest(*claims.email);
  command.session = new_session(services, secret);
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_as(call, services, kSystemUser, std::move(command)));
  const auto& granted = done.get<commands::SessionReply>();
  co_return written(with_session(redirect(attempt.return_to), call, services, granted, secret),
                    done);
}

awaitable<HandlerResult> come_back(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(require_door(services));
  BOOST_OUTCOME_CO_TRY(check_login_rate(call, services));
  BOOST_OUTCOME_CO_TRY(const auto attempt, attempt_of(call, services));
  auto signed_in = co_await sign_in(call, services, attempt);
  if (!signed_in) call.audit().detail.code = signed_in.error().code;  // the answer is a redirect
  auto reply = signed_in ? std::move(signed_in).value()
                         : redirect(with_error(attempt.return_to, signed_in.error().code))
                               .header("Cache-Control", "no-store");
  co_return with_attempt(std::move(reply), call, services, "");
}

}  // namespace

http::RouteTable oidc_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = std::string(kCookiePath),
       .operation_id = "getOidc",
       .summary = "Whether one can sign in by an OpenID Connect provider, and where",
       .tag = "auth",
       .access = http::Access::open(),
       .reply = http::replies<OidcView>(200),
       .handler = [&services](Call& call) { return describe(call, services); }},
      {.method = http::Method::get,
       .path = std::string(kLoginPath),
       .operation_id = "beginOidcLogin",
       .summary = "Sends the browser to the OpenID Connect provider",
       .tag = "auth",
       .access = http::Access::open(),
       .query = http::query_of<OidcLoginQuery>(),
       .reply = http::redirects("To the provider's page."),
       .handler = [&services](Call& call) { return begin(call, services); }},
      {.method = http::Method::get,
       .path = std::string(kCallbackPath),
       .operation_id = "endOidcLogin",
       .summary = "Where the provider sends the browser back to",
       .tag = "auth",
       .access = http::Access::open(),
       .action = "auth.login_oidc",
       .target = "user",
       .query = http::query_of<OidcCallbackQuery>(),
       .reply = http::redirects("To return_to, with the refresh cookie set; or with "
                                "sign_in_error=CODE, and nobody is signed in."),
       .handler = [&services](Call& call) { return come_back(call, services); }},
  };
}

}  // namespace annolog::api
