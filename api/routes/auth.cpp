// Sign-in and the caller's own account.
#include <boost/describe/class.hpp>

#include "api/routes/tables.hpp"
#include "api/second_look.hpp"
#include "api/work.hpp"
#include "domain/support/text.hpp"
#include "platform/random.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

struct LoginBody {
  std::string username;
  std::string password;
};
BOOST_DESCRIBE_STRUCT(LoginBody, (), (username, password))

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

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::LoginBody> {
  static constexpr std::string_view kName = "Login";
  static void apply(ObjectRules& rules) {
    rules.field("username").length(1, 320);
    rules.field("password").length(1, 1024);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using projections::UserCredentials;

DomainError wrong_credentials() {
  return {DomainError::Kind::unauthenticated,
          "INVALID_CREDENTIALS",
          "Username or password is wrong.",
          {{"captcha_required", false}},
          {},
          0};
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

awaitable<Result<UserCredentials>> fitting_credentials(Services& services, const LoginBody& body) {
  const std::string username = trimmed(body.username);
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
  if (!fits) co_return wrong_credentials();
  co_return std::move(*found);
}

awaitable<HandlerResult> login(Call& call, Services& services) {
  const auto rate = services.login_rate.hit(call.head().client_address);
  if (!rate.allowed) {
    co_return DomainError{DomainError::Kind::limited,
                          "LOGIN_RATE_LIMITED",
                          "Too many sign-ins from this address.",
                          {},
                          {},
                          static_cast<int>(rate.retry_after_s)};
  }
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto found, co_await fitting_credentials(services, call.body<LoginBody>()));
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, SignInUser{found.user.id}));
  LoginReply reply;
  reply.expires_in = services.options.access_token_ms / 1000;
  reply.user = {found.user.id, found.user.username, found.user.role};
  reply.access_token = services.jwt.create({.sub = found.user.id,
                                            .role = std::string(to_string(found.user.role)),
                                            .jti = platform::random_base62(22),
                                            .gen = 0,
                                            .iat = call.now(),
                                            .exp = call.now() + services.options.access_token_ms});
  co_return written(http::reply(200, reply).header("Cache-Control", "no-store"), done);
}

awaitable<HandlerResult> me(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto user, co_await read(services, [&] {
                         return projections::UserQueries(services.reads).find(call.caller().id);
                       }));
  if (!user) co_return not_found("user");
  co_return http::reply(200, *user);
}

}  // namespace

http::RouteTable auth_routes(Services& services) {
  return {
      {.method = http::Method::post,
       .path = "/api/v1/auth/login",
       .operation_id = "login",
       .summary = "Signs in with username and password",
       .tag = "auth",
       .access = http::Access::open(),
       .body = http::Body::json<LoginBody>(),
       .reply = http::replies<LoginReply>(200),
       .handler = [&services](Call& call) { return login(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/me",
       .operation_id = "getMe",
       .summary = "The caller",
       .tag = "auth",
       .access = http::Access::needs(Action::use_account, http::Scope::none),
       .reply = http::replies<UserView>(200),
       .handler = [&services](Call& call) { return me(call, services); }},
  };
}

}  // namespace annolog::api
