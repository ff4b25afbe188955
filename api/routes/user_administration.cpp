// Users, as super_admins and the operator see to them: role, group, in and out, password, erasure.
#include <boost/describe/class.hpp>

#include "api/new_person.hpp"
#include "api/routes/tables.hpp"
#include "api/user_view.hpp"
#include "api/users.hpp"
#include "domain/support/text.hpp"

namespace annolog::api {

struct ChangeRoleBody {
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(ChangeRoleBody, (), (role))

struct ChangeGroupBody {
  Patch<GroupId> group_id;
};
BOOST_DESCRIBE_STRUCT(ChangeGroupBody, (), (group_id))

struct ResetPasswordBody {
  std::string password;
};
BOOST_DESCRIBE_STRUCT(ResetPasswordBody, (), (password))

struct EraseUserBody {
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(EraseUserBody, (), (reason))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::ResetPasswordBody> {
  static constexpr std::string_view kName = "ResetPassword";
  static void apply(ObjectRules& rules) { api::password_rule(rules.field("password")); }
};

template <>
struct SchemaRules<api::EraseUserBody> {
  static constexpr std::string_view kName = "EraseUser";
  static void apply(ObjectRules& rules) { rules.field("reason").length(1, 500); }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

constexpr http::Access kGovern = http::Access::needs(Action::govern, http::Scope::none);

awaitable<HandlerResult> administer(Call& call, Services& services, commands::Command command,
                                    std::string body_text = {}) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, std::move(command), std::move(body_text)));
  co_await hear_directory(call, services);
  BOOST_OUTCOME_CO_TRY(auto view, co_await user_view(services, done.get<commands::UserReply>()));
  co_return written(shown_user(200, view), done);
}

awaitable<HandlerResult> change_role(Call& call, Services& services) {
  const auto& body = call.body<ChangeRoleBody>();
  return administer(
      call, services,
      ChangeUserRole{call.id<UserId>("user_id"), call.if_match().versions(), body.role},
      codec::to_json_text(body));
}

awaitable<HandlerResult> change_group(Call& call, Services& services) {
  const auto& body = call.body<ChangeGroupBody>();
  if (body.group_id.absent())
    co_return validation_error({{{"group_id"}, "An id, or null for none.", "missing"}});
  co_return co_await administer(
      call, services,
      ChangeUserGroup{call.id<UserId>("user_id"), call.if_match().versions(),
                      body.group_id.as_optional()},
      codec::to_json_text(body));
}

awaitable<HandlerResult> reset_password(Call& call, Services& services) {
  const auto id = call.id<UserId>("user_id");
  const auto& password = call.body<ResetPasswordBody>().password;
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto user = services.directory.user(id);
  if (!user) co_return not_found("user");
  BOOST_OUTCOME_CO_TRY(auto sealed, co_await http::blocking(services.login_threads, [&] {
                         return with_key_store(services, [&]() -> Result<Sealed> {
                           BOOST_OUTCOME_TRY(check_password(password));
                           return services.personal_data.seal(user->key_id,
                                                              services.hasher.hash(password));
                         });
                       }));
  co_return co_await administer(call, services, ResetPassword{id, std::move(sealed)});
}

// First the fact, then the keys: who asks again after a crash between the two finishes it, and so
// does every start of a node.
awaitable<HandlerResult> erase_user(Call& call, Services& services) {
  const auto& body = call.body<EraseUserBody>();
  call.audit().detail.reason = trimmed(body.reason);
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services,
                                      EraseUser{call.id<UserId>("user_id"), trimmed(body.reason)},
                                      codec::to_json_text(body)));
  co_await hear_directory(call, services);
  const auto& erased = done.get<commands::UserReply>();
  BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.login_threads, [&] {
    return with_key_store(services, [&]() -> Result<void> {
      for (const auto& key : erased.user.erased_keys) services.personal_data.forget(key);
      return success();
    });
  }));
  BOOST_OUTCOME_CO_TRY(auto view, co_await user_view(services, erased));
  co_return written(shown_user(200, view), done);
}

// A command that needs no more than to know whom.
template <class C>
http::Route without_body(Services& services, http::Method method, const std::string& path,
                         const std::string& operation_id, const std::string& action,
                         const std::string& summary) {
  return {.method = method,
          .path = path,
          .operation_id = operation_id,
          .summary = summary,
          .tag = "users",
          .access = kGovern,
          .action = action,
          .target = "user",
          .reply = http::replies<UserView>(200),
          .handler = [&services](Call& call) {
            return administer(call, services, C{call.id<UserId>("user_id")});
          }};
}

}  // namespace

http::RouteTable user_administration_routes(Services& services) {
  const auto user = http::replies<UserView>(200);
  return {
      {.method = http::Method::patch,
       .path = "/api/v1/users/{user_id}/role",
       .operation_id = "changeUserRole",
       .summary = "Gives a user another global role",
       .tag = "users",
       .access = kGovern,
       .action = "user.change_role",
       .target = "user",
       .body = http::Body::json<ChangeRoleBody>(),
       .reply = user,
       .if_match = true,
       .handler = [&services](Call& call) { return change_role(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/users/{user_id}/group",
       .operation_id = "changeUserGroup",
       .summary = "Puts a user into a data group, or into none",
       .tag = "users",
       .access = kGovern,
       .action = "user.change_group",
       .target = "user",
       .body = http::Body::json<ChangeGroupBody>(),
       .reply = user,
       .if_match = true,
       .handler = [&services](Call& call) { return change_group(call, services); }},
      without_body<DeactivateUser>(services, http::Method::post,
                                   "/api/v1/users/{user_id}/deactivate", "deactivateUser",
                                   "user.deactivate", "Shuts a user out, at once and everywhere"),
      without_body<ActivateUser>(services, http::Method::post, "/api/v1/users/{user_id}/activate",
                                 "activateUser", "user.activate",
                                 "Lets a deactivated user in again"),
      without_body<UnlinkOidc>(services, http::Method::del, "/api/v1/users/{user_id}/oidc-account",
                               "unlinkOidcAccount", "user.unlink_oidc",
                               "Parts a user from an account at the OpenID Connect provider; the "
                               "next sign-in by one with the user's address links that one"),
      {.method = http::Method::post,
       .path = "/api/v1/users/{user_id}/password",
       .operation_id = "resetPassword",
       .summary = "Gives a user another password; for the operator of the machine alone",
       .tag = "users",
       .access = http::Access::operator_only(),
       .action = "user.reset_password",
       .target = "user",
       .body = http::Body::json<ResetPasswordBody>(),
       .reply = user,
       .handler = [&services](Call& call) { return reset_password(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/users/{user_id}/erase",
       .operation_id = "eraseUser",
       .summary = "Makes whatever is personal about a user unreadable, for ever and everywhere",
       .tag = "users",
       .access = kGovern,
       .action = "user.erase",
       .target = "user",
       .body = http::Body::json<EraseUserBody>(),
       .reply = user,
       .handler = [&services](Call& call) { return erase_user(call, services); }},
  };
}

}  // namespace annolog::api
