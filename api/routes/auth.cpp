// Sessions: sign-in, refresh, sign-out.
#include <boost/describe/class.hpp>

#include "api/auth/captchas.hpp"
#include "api/auth/login_rate.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/auth/sign_in_failures.hpp"
#include "api/routes/tables.hpp"
#include "api/second_look.hpp"
#include "api/work.hpp"
#include "domain/identity/refusals.hpp"
#include "platform/encoding.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

struct LoginBody {
  std::string username;
  std::string password;
  std::optional<std::string> captcha_id;
  std::optional<std::string> captcha_answer;
};
BOOST_DESCRIBE_STRUCT(LoginBody, (), (username, password, captcha_id, captcha_answer))

struct LoginUser {
  UserId id;
  std::string username;
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(LoginUser, (), (id, username, role))

struct LoginReply {
  std::string access_token;
  std::string token_type = "bearer";
  std::int64_t expires_in = 0;  // seconds
  LoginUser user;
};
BOOST_DESCRIBE_STRUCT(LoginReply, (), (access_token, token_type, expires_in, user))

struct CaptchaView {
  std::string captcha_id;
  std::string image_png_base64;
  std::int64_t expires_in = 0;  // seconds
};
BOOST_DESCRIBE_STRUCT(CaptchaView, (), (captcha_id, image_png_base64, expires_in))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::LoginBody> {
  static constexpr std::string_view kName = "Login";
  static void apply(ObjectRules& rules) {
    rules.field("username").length(1, 320);
    rules.field("password").length(1, 1024);
    rules.field("captcha_id").length(1, 200).describe("Needed once an answer says so.");
    rules.field("captcha_answer").length(1, 20).describe("In upper or lower case.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using projections::UserCredentials;

constexpr std::string_view kPngType = "image/png";

DomainError refused_sign_in(std::string code, std::string message, bool captcha_required) {
  return unauthenticated(std::move(code), std::move(message),
                         {{"captcha_required", captcha_required}});
}

// As much work for unknown and deactivated users as for a wrong password.
bool password_fits(const Services& services, const std::optional<UserCredentials>& found,
                   const std::string& password) {
  if (!found || found->password_hash.empty() || !found->user.is_active) {
    return services.hasher.verify_dummy(password);
  }
  return services.hasher.verify(found->password_hash, password);
}

bool same_credentials(const std::optional<UserCredentials>& a,
                      const std::optional<UserCredentials>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->password_hash == b->password_hash && a->user.is_active == b->user.is_active;
}

awaitable<Result<std::optional<UserCredentials>>> find_credentials(Services& services,
                                                                   const std::string& username) {
  co_return co_await read(services, [&]() -> Result<std::optional<UserCredentials>> {
    return projections::UserQueries(services.reads).find_credentials(username);
  });
}

// Nothing: no active user has this name and this password.
awaitable<Result<std::optional<UserCredentials>>> fitting_credentials(Services& services,
                                                                      const LoginBody& body) {
  const std::string username = services.personal_data.digest(body.username);
  const auto judge = [&](const std::optional<UserCredentials>& found) {
    return http::blocking(services.login_threads, [&]() -> Result<bool> {
      return password_fits(services, found, body.password);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_credentials(services, username));
  BOOST_OUTCOME_CO_TRY(bool fits, co_await judge(found));
  if (!fits) {
    // Others may have made the user a moment ago. How long this takes must not tell who exists.
    BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(commands::kDirectory));
    BOOST_OUTCOME_CO_TRY(auto now, co_await find_credentials(services, username));
    const bool changed = !same_credentials(found, now);
    found = std::move(now);
    if (changed) {
      BOOST_OUTCOME_CO_TRY(fits, co_await judge(found));
    }
  }
  if (!fits) found.reset();
  co_return std::move(found);
}

// Refuses who has failed too often and does not bring the answer to a captcha.
awaitable<Result<void>> require_captcha(Call& call, Services& services, const LoginBody& body) {
  const std::string& address = call.head().client_address;
  const Timestamp now = call.now();
  BOOST_OUTCOME_CO_TRY(bool passed, co_await read(services, [&]() -> Result<bool> {
                         if (!services.sign_in_failures.captcha_required(address, body.username))
                           return true;
                         return body.captcha_id && body.captcha_answer &&
                                services.captchas.answer(*body.captcha_id, *body.captcha_answer,
                                                         now);
                       }));
  if (passed) co_return success();
  co_return refused_sign_in("CAPTCHA_REQUIRED",
                            "Several sign-ins have failed: answer a captcha of GET "
                            "/api/v1/auth/captcha; each can be answered once.",
                            true);
}

awaitable<Result<UserCredentials>> credentials_of(Call& call, Services& services,
                                                  const LoginBody& body) {
  const std::string& address = call.head().client_address;
  BOOST_OUTCOME_CO_TRY(auto found, co_await fitting_credentials(services, body));
  BOOST_OUTCOME_CO_TRY(bool captcha_required, co_await read(services, [&]() -> Result<bool> {
                         if (!found) return services.sign_in_failures.add(address, body.username);
                         services.sign_in_failures.clear(address, body.username);
                         return false;
                       }));
  if (!found)
    co_return refused_sign_in("INVALID_CREDENTIALS", "Username or password is wrong.",
                              captcha_required);
  co_return std::move(*found);
}

awaitable<HandlerResult> login(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(check_login_rate(call, services));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto& body = call.body<LoginBody>();
  BOOST_OUTCOME_CO_TRY(co_await require_captcha(call, services, body));
  BOOST_OUTCOME_CO_TRY(auto found, co_await credentials_of(call, services, body));
  const std::string secret = new_refresh_secret();
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_as(call, services, found.user.id,
                                                  SignIn{found.user.id, found.generation,
                                                         new_session(services, secret)}));
  const auto& granted = done.get<commands::SessionReply>();
  const TokenReply tokens = token_reply(call, services, granted);
  const LoginReply reply{tokens.access_token,
                         tokens.token_type,
                         tokens.expires_in,
                         {found.user.id, found.user.username, granted.user.role}};
  co_return written(with_session(http::reply(200, reply), call, services, granted, secret), done);
}

awaitable<HandlerResult> captcha(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(check_login_rate(call, services));
  const std::string id = services.captchas.new_id(call.now());
  BOOST_OUTCOME_CO_TRY(auto png, co_await read(services, [&]() -> Result<std::string> {
                         return services.captchas.image(id);
                       }));
  const auto accept = call.head().header("accept");
  if (accept && accept->find(kPngType) != std::string_view::npos)
    co_return http::reply_text(std::string(kPngType), std::move(png))
        .header("X-Captcha-Id", id)
        .header("Cache-Control", "no-store");
  const CaptchaView view{id, platform::to_base64(png), Captchas::kLifetime.count()};
  co_return http::reply(200, view).header("Cache-Control", "no-store");
}

awaitable<HandlerResult> refresh(Call& call, Services& services) {
  const auto token = refresh_token_of(call.head(), services);
  if (!token)
    co_return unauthenticated("INVALID_REFRESH_TOKEN", "A refresh cookie is needed; sign in.");
  const std::string secret = new_refresh_secret();
  RefreshSession command{token->session_id, refresh_digest(token->secret),
                         new_session(services, secret), services.options.refresh_rate_per_minute};
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_as(call, services, token->user_id, std::move(command)));
  if (done.get<commands::SessionReply>().session.ended)
    co_return unauthenticated("REFRESH_REUSED",
                              "The refresh token was used before; the session has ended.");
  co_return session_answer(call, services, done, secret);
}

awaitable<HandlerResult> logout(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(require_session(call));
  const EndSession command{session_of(call.caller().session_id)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_await hear_directory(call, services);
  co_return written(without_session(http::no_content(), call, services), done);
}

awaitable<HandlerResult> logout_all(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(require_session(call));
  const UserId user = call.caller().id;
  const std::string secret = new_refresh_secret();
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_as(call, services, user,
                                       SignOutEverywhere{user, new_session(services, secret)}));
  co_await hear_directory(call, services);
  co_return session_answer(call, services, done, secret);
}

}  // namespace

http::RouteTable auth_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/auth/login",
       .operation_id = "login",
       .summary = "Gives an access token for a username and a password",
       .tag = "auth",
       .access = http::Access::open(),
       .action = "auth.login",
       .target = "user",
       .body = http::Body::json<LoginBody>(),
       .reply = http::replies<LoginReply>(200),
       .handler = [&services](Call& call) { return login(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/auth/captcha",
       .operation_id = "getCaptcha",
       .summary =
           "A captcha for the next sign-in; with Accept: image/png the picture itself, its id "
           "in X-Captcha-Id",
       .tag = "auth",
       .access = http::Access::open(),
       .reply = http::replies<CaptchaView>(200),
       .handler = [&services](Call& call) { return captcha(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/refresh",
       .operation_id = "refresh",
       .summary = "Gives the next access token for the refresh cookie, and the next cookie",
       .tag = "auth",
       .access = http::Access::open(),
       .action = "auth.refresh",
       .target = "user",
       .reply = http::replies<TokenReply>(200),
       .handler = [&services](Call& call) { return refresh(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/logout",
       .operation_id = "logout",
       .summary = "Ends the session: its tokens and its cookie are void",
       .tag = "auth",
       .access = own,
       .action = "auth.logout",
       .target = "user",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return logout(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/logout-all",
       .operation_id = "logoutAll",
       .summary = "Ends all sessions of the caller and begins a new one",
       .tag = "auth",
       .access = own,
       .action = "auth.logout_all",
       .target = "user",
       .reply = http::replies<TokenReply>(200),
       .handler = [&services](Call& call) { return logout_all(call, services); }},
  };
}

}  // namespace annolog::api
