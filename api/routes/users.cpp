// Users: who there is, and new ones.
#include <boost/describe/class.hpp>

#include "api/new_person.hpp"
#include "api/routes/tables.hpp"
#include "api/user_view.hpp"
#include "api/users.hpp"
#include "domain/support/text.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

struct CreateUserBody {
  std::string username;
  std::string name;
  Role role = Role::viewer;
  std::string password;
  std::optional<std::string> email;
};
BOOST_DESCRIBE_STRUCT(CreateUserBody, (), (username, name, role, password, email))

struct UserListQuery {
  std::optional<Role> role;
};
BOOST_DESCRIBE_STRUCT(UserListQuery, (), (role))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::CreateUserBody> {
  static constexpr std::string_view kName = "CreateUser";
  static void apply(ObjectRules& rules) {
    rules.field("username").length(1, 150);
    rules.field("name").length(1, 200);
    api::password_rule(rules.field("password"));
    rules.field("email").length(3, 320).format("email");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> create_user(Call& call, Services& services) {
  const auto& body = call.body<CreateUserBody>();
  const NewUser user{body.username, body.name, body.email, body.password, body.role};
  BOOST_OUTCOME_CO_TRY(auto command, co_await http::blocking(services.login_threads, [&] {
                         return with_key_store(services, [&] {
                           return prepare_user(user, services.personal_data, services.hasher);
                         });
                       }));
  const std::string key = command.username.key_id;
  auto public_part = body;  // no trace of a password, not even a hash, goes to the log
  public_part.password.clear();
  auto done =
      co_await run_command(call, services, std::move(command), codec::to_json_text(public_part));
  if (is_nobodys_key(done)) {
    BOOST_OUTCOME_CO_TRY(
        co_await http::blocking(services.login_threads, [&] { forget_key(key, services); }));
  }
  if (!done) co_return std::move(done).error();
  const auto& made = done.value().get<commands::UserReply>();
  BOOST_OUTCOME_CO_TRY(auto view, co_await user_view(services, made));
  co_return written(shown_user(201, view).header(
                        "Location", "/api/v1/users/" + std::to_string(made.user.id.value)),
                    done.value());
}

awaitable<HandlerResult> get_user(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_user(call, services, call.id<UserId>("user_id")));
  co_return shown_user(200, user);
}

awaitable<HandlerResult> list_users(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto& query = call.query<UserListQuery>();
  BOOST_OUTCOME_CO_TRY(auto users, co_await read(services, [&] {
                         return projections::UserQueries(services.reads).list(query.role);
                       }));
  for (auto& user : users) complete(services, user);
  co_return http::reply(200, users);
}

}  // namespace

http::RouteTable user_routes(Services& services) {
  return {
      {.method = http::Method::post,
       .path = "/api/v1/users",
       .operation_id = "createUser",
       .summary = "Creates a user",
       .tag = "users",
       .access = http::Access::needs(Action::govern, http::Scope::none),
       .action = "user.create",
       .target = "user",
       .body = http::Body::json<CreateUserBody>(),
       .reply = http::replies<UserView>(201),
       .handler = [&services](Call& call) { return create_user(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/users",
       .operation_id = "listUsers",
       .summary = "All users, in order of id",
       .tag = "users",
       .access = http::Access::needs(Action::list_users, http::Scope::none),
       .query = http::query_of<UserListQuery>(),
       .reply = http::replies<std::vector<UserView>>(200),
       .handler = [&services](Call& call) { return list_users(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/users/{user_id}",
       .operation_id = "getUser",
       .summary = "A user",
       .tag = "users",
       .access = http::Access::needs(Action::list_users, http::Scope::none),
       .reply = http::replies<UserView>(200),
       .handler = [&services](Call& call) { return get_user(call, services); }},
  };
}

}  // namespace annolog::api
