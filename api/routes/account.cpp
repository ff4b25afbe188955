// The caller's own account: name, password, preferences.
#include <boost/describe/class.hpp>

#include "api/auth/login_rate.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/new_person.hpp"
#include "api/routes/tables.hpp"
#include "api/user_view.hpp"
#include "api/users.hpp"
#include "domain/codec/notification_preferences.hpp"
#include "domain/support/text.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

struct RenameMeBody {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(RenameMeBody, (), (name))

struct ChangePasswordBody {
  std::string old_password;
  std::string new_password;
};
BOOST_DESCRIBE_STRUCT(ChangePasswordBody, (), (old_password, new_password))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::RenameMeBody> {
  static constexpr std::string_view kName = "RenameMe";
  static void apply(ObjectRules& rules) { rules.field("name").length(1, 200); }
};
template <>
struct SchemaRules<api::ChangePasswordBody> {
  static constexpr std::string_view kName = "ChangePassword";
  static void apply(ObjectRules& rules) {
    rules.field("old_password").length(1, 1024);
    api::password_rule(rules.field("new_password"));
  }
};
// Free but for the keys that the service itself reads.
template <>
struct SchemaRules<Preferences> {
  static void check(const Preferences& changes, std::vector<FieldError>& errors) {
    codec::check_notification_preferences(changes, errors);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> me(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_user(call, services, call.caller().id));
  co_return shown_user(200, user);
}

// `text` under the caller's own key.
Result<Sealed> seal(const Call& call, Services& services, const std::string& text) {
  const auto user = services.directory.user(call.caller().id);
  if (!user) return not_found("user");
  return with_key_store(services, [&]() -> Result<Sealed> {
    return services.personal_data.seal(user->key_id, text);
  });
}

awaitable<HandlerResult> rename_me(Call& call, Services& services) {
  const auto& body = call.body<RenameMeBody>();
  const std::string name = trimmed(body.name);
  if (name.empty()) co_return validation_error({{{"name"}, "Must not be empty.", "length"}});
  BOOST_OUTCOME_CO_TRY(auto sealed, co_await http::blocking(services.login_threads, [&] {
                         return seal(call, services, name);
                       }));
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(
                     call, services,
                     RenameUser{call.caller().id, call.if_match().versions(), std::move(sealed)},
                     codec::to_json_text(body)));
  BOOST_OUTCOME_CO_TRY(auto view, co_await user_view(services, done.get<commands::UserReply>()));
  co_return written(shown_user(200, view), done);
}

struct JudgedPassword {
  std::optional<Sealed> next;  // absent: the old one was wrong
  std::int64_t generation = 0;
};

Result<JudgedPassword> judge(const Call& call, Services& services,
                             const projections::UserCredentials& found,
                             const ChangePasswordBody& body) {
  if (!services.hasher.verify(found.password_hash, body.old_password)) return JudgedPassword{};
  BOOST_OUTCOME_TRY(check_password(body.new_password, "new_password"));
  BOOST_OUTCOME_TRY(auto sealed, seal(call, services, services.hasher.hash(body.new_password)));
  return JudgedPassword{std::move(sealed), found.generation};
}

awaitable<HandlerResult> change_password(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(require_session(call));
  BOOST_OUTCOME_CO_TRY(check_login_rate(call, services));
  const auto& body = call.body<ChangePasswordBody>();
  const UserId id = call.caller().id;
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return projections::UserQueries(services.reads).find_credentials(id);
                       }));
  if (!found) co_return not_found("user");
  BOOST_OUTCOME_CO_TRY(auto judged, co_await http::blocking(services.login_threads, [&] {
                         return judge(call, services, *found, body);
                       }));
  if (!judged.next)
    co_return validation_error({{{"old_password"}, "This is not the password.", "wrong_password"}});
  const std::string secret = new_refresh_secret();
  ChangePassword command{id, std::move(*judged.next), judged.generation,
                         new_session(services, secret)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_as(call, services, id, std::move(command)));
  co_await hear_directory(call, services);
  co_return session_answer(call, services, done, secret);
}

awaitable<HandlerResult> preferences(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_user(call, services, call.caller().id));
  co_return http::reply_json_text(200, std::move(user.preferences.text)).version(user.version);
}

awaitable<HandlerResult> change_preferences(Call& call, Services& services) {
  const auto& body = call.body<Preferences>();
  BOOST_OUTCOME_CO_TRY(
      auto done,
      co_await run_command(call, services,
                           ChangePreferences{call.caller().id, call.if_match().versions(), body},
                           codec::to_json_text(body)));
  const UserState& after = done.get<commands::UserReply>().user;
  co_return written(
      http::reply_json_text(200, codec::to_json_text(after.preferences)).version(after.version),
      done);
}

}  // namespace

http::RouteTable account_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/me",
       .operation_id = "getMe",
       .summary = "The caller",
       .tag = "account",
       .access = own,
       .reply = http::replies<UserView>(200),
       .handler = [&services](Call& call) { return me(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/auth/me",
       .operation_id = "renameMe",
       .summary = "Changes the caller's name",
       .tag = "account",
       .access = own,
       .action = "user.rename",
       .target = "user",
       .body = http::Body::json<RenameMeBody>(),
       .reply = http::replies<UserView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return rename_me(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/auth/me/password",
       .operation_id = "changePassword",
       .summary = "Changes the caller's password; all other sessions end",
       .tag = "account",
       .access = own,
       .action = "user.change_password",
       .target = "user",
       .body = http::Body::json<ChangePasswordBody>(),
       .reply = http::replies<TokenReply>(200),
       .handler = [&services](Call& call) { return change_password(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/auth/me/preferences",
       .operation_id = "getPreferences",
       .summary = "The caller's display settings",
       .tag = "account",
       .access = own,
       .reply = http::replies<Preferences>(200),
       .handler = [&services](Call& call) { return preferences(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/auth/me/preferences",
       .operation_id = "changePreferences",
       .summary = "Replaces top-level members of the display settings; null removes one",
       .tag = "account",
       .access = own,
       .action = "user.change_preferences",
       .target = "user",
       .body = http::Body::json<Preferences>(),
       .reply = http::replies<Preferences>(200),
       .description = "The member `notifications` turns types of notifications off: "
                      "{\"task.approved\": false}. They are neither shown, counted nor sent until "
                      "they are turned on again.",
       .if_match = true,
       .handler = [&services](Call& call) { return change_preferences(call, services); }},
  };
}

}  // namespace annolog::api
