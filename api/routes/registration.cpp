// How somebody becomes a user: by an invitation, or openly where that is on.
#include <boost/describe/class.hpp>

#include "api/auth/session_tokens.hpp"
#include "api/find_twice.hpp"
#include "api/invitation_token.hpp"
#include "api/new_person.hpp"
#include "api/routes/tables.hpp"
#include "api/users.hpp"
#include "domain/support/text.hpp"

namespace annolog::api {

struct RegisterBody {
  std::string token;
  std::string name;
  std::string password;
};
BOOST_DESCRIBE_STRUCT(RegisterBody, (), (token, name, password))

struct RegisterOpenBody {
  std::string email;
  std::string name;
  std::string password;
};
BOOST_DESCRIBE_STRUCT(RegisterOpenBody, (), (email, name, password))

struct RegisteredUser {
  UserId id;
  std::string username;
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(RegisteredUser, (), (id, username, role))

struct RegisteredReply {
  std::string access_token;
  std::string token_type = "bearer";
  std::int64_t expires_in = 0;  // seconds
  RegisteredUser user;
};
BOOST_DESCRIBE_STRUCT(RegisteredReply, (), (access_token, token_type, expires_in, user))

struct InvitationDetails {
  std::string email;
  Role role = Role::viewer;
  std::optional<std::string> group_name;
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(InvitationDetails, (), (email, role, group_name, expires_at))

struct RegistrationStatus {
  bool open_registration = false;
};
BOOST_DESCRIBE_STRUCT(RegistrationStatus, (), (open_registration))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::RegisterBody> {
  static constexpr std::string_view kName = "Register";
  static void apply(ObjectRules& rules) {
    rules.field("token").length(1, 200);
    rules.field("name").length(1, 200);
    api::password_rule(rules.field("password"));
  }
};
template <>
struct SchemaRules<api::RegisterOpenBody> {
  static constexpr std::string_view kName = "RegisterOpen";
  static void apply(ObjectRules& rules) {
    rules.field("email").length(3, 320).format("email");
    rules.field("name").length(1, 200);
    api::password_rule(rules.field("password"));
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using projections::FoundInvitation;

awaitable<Result<std::optional<FoundInvitation>>> find(Services& services,
                                                       const std::string& token) {
  const std::string digest = invitation_digest(token);
  co_return co_await read(services, [&]() -> Result<std::optional<FoundInvitation>> {
    return projections::IdentityQueries(services.reads).invitation(digest);
  });
}

// A usable one; the decider judges again.
awaitable<Result<FoundInvitation>> pending(Call& call, Services& services,
                                           const std::string& token) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, commands::kDirectory,
                                                       [&] { return find(services, token); }));
  if (!found) co_return not_found("invitation");
  found->view = shown(services, *found, call.now());
  BOOST_OUTCOME_CO_TRY(require_pending(found->view.id, found->view.status));
  co_return std::move(*found);
}

awaitable<HandlerResult> invitation_details(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto found,
                       co_await pending(call, services, std::string(call.text("token"))));
  const auto& view = found.view;
  co_return http::reply(200,
                        InvitationDetails{view.email, view.role, view.group_name, view.expires_at})
      .header("Cache-Control", "no-store");
}

// Signs the new user in.
awaitable<HandlerResult> welcome(Call& call, Services& services, const std::string& username,
                                 const UserState& user) {
  const std::string secret = new_refresh_secret();
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_as(call, services, user.id,
                                 SignIn{user.id, user.generation, new_session(services, secret)}));
  const auto& granted = done.get<commands::SessionReply>();
  const TokenReply tokens = token_reply(call, services, granted);
  const RegisteredReply reply{
      tokens.access_token, tokens.token_type, tokens.expires_in, {user.id, username, user.role}};
  co_return written(with_session(http::reply(201, reply), call, services, granted, secret), done);
}

awaitable<HandlerResult> register_invited(Call& call, Services& services) {
  const auto& body = call.body<RegisterBody>();
  BOOST_OUTCOME_CO_TRY(auto found, co_await pending(call, services, body.token));
  const std::string name = trimmed(body.name);
  if (name.empty()) co_return validation_error({{{"name"}, "Must not be empty.", "length"}});
  const auto& personal = services.personal_data;
  BOOST_OUTCOME_CO_TRY(auto command, co_await http::blocking(services.login_threads, [&] {
                         return with_key_store(services, [&]() -> Result<AcceptInvitation> {
                           BOOST_OUTCOME_TRY(check_password(body.password));
                           const std::string& key = found.key_id;
                           return AcceptInvitation{
                               invitation_digest(body.token), personal.seal(key, found.view.email),
                               personal.seal(key, name),
                               personal.seal(key, services.hasher.hash(body.password)),
                               personal.digest(found.view.email)};
                         });
                       }));
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_as(call, services, kSystemUser, std::move(command)));
  co_return co_await welcome(call, services, found.view.email,
                             done.get<commands::UserReply>().user);
}

DomainError closed() {
  return {DomainError::Kind::forbidden,
          "REGISTRATION_CLOSED",
          "Open registration is off; ask for an invitation.",
          {},
          {},
          0};
}

// The address is the username here: a refusal names what the body has.
DomainError named_by_address(DomainError error) {
  if (error.code == "USERNAME_TAKEN") error.code = "EMAIL_TAKEN";
  if (error.code == "EMAIL_TAKEN") error.message = "A user has this e-mail address.";
  for (FieldError& field : error.errors)
    if (field.loc == Location{"username"}) field.loc = {"email"};
  return error;
}

awaitable<HandlerResult> register_open(Call& call, Services& services) {
  if (!services.options.open_registration) co_return closed();
  const auto rate = services.registration_rate.hit(call.head().client_address);
  if (!rate.allowed) {
    co_return DomainError{DomainError::Kind::limited,
                          "REGISTRATION_RATE_LIMITED",
                          "Too many registrations from this address.",
                          {},
                          {},
                          static_cast<int>(rate.retry_after_s)};
  }
  const auto& body = call.body<RegisterOpenBody>();
  const std::string email = lower_ascii(trimmed(body.email));
  const NewUser user{email, body.name, email, body.password, Role::viewer};
  auto prepared = co_await http::blocking(services.login_threads, [&] {
    return with_key_store(
        services, [&] { return prepare_user(user, services.personal_data, services.hasher); });
  });
  if (!prepared) co_return named_by_address(std::move(prepared).error());
  auto command = std::move(prepared).value();
  const std::string key = command.username.key_id;
  auto done = co_await run_as(call, services, kSystemUser, std::move(command));
  if (is_nobodys_key(done)) {
    BOOST_OUTCOME_CO_TRY(
        co_await http::blocking(services.login_threads, [&] { forget_key(key, services); }));
  }
  if (!done) co_return named_by_address(std::move(done).error());
  co_return co_await welcome(call, services, email, done.value().get<commands::UserReply>().user);
}

}  // namespace

http::RouteTable registration_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/auth/registration-status",
       .operation_id = "registrationStatus",
       .summary = "Whether anybody may register",
       .tag = "registration",
       .access = http::Access::open(),
       .reply = http::replies<RegistrationStatus>(200),
       .handler = [&services](Call&) -> awaitable<HandlerResult> {
         co_return http::reply(200, RegistrationStatus{services.options.open_registration});
       }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/register-open",
       .operation_id = "registerOpen",
       .summary = "Makes a viewer of whoever asks, where open registration is on",
       .tag = "registration",
       .access = http::Access::open(),
       .action = "user.register",
       .target = "user",
       .body = http::Body::json<RegisterOpenBody>(),
       .reply = http::replies<RegisteredReply>(201),
       .handler = [&services](Call& call) { return register_open(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/auth/invitations/{token}",
       .operation_id = "getInvitation",
       .summary = "What an invitation is for",
       .tag = "registration",
       .access = http::Access::open(),
       .reply = http::replies<InvitationDetails>(200),
       .secret_path = true,
       .handler = [&services](Call& call) { return invitation_details(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/register",
       .operation_id = "register",
       .summary = "Makes a user of who was invited",
       .tag = "registration",
       .access = http::Access::open(),
       .action = "user.register",
       .target = "user",
       .body = http::Body::json<RegisterBody>(),
       .reply = http::replies<RegisteredReply>(201),
       .handler = [&services](Call& call) { return register_invited(call, services); }},
  };
}

}  // namespace annolog::api
