// Users: creation by a super_admin, and the list.
#include <boost/describe/class.hpp>
#include <stdexcept>

#include "api/routes/tables.hpp"
#include "api/users.hpp"
#include "api/work.hpp"
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
    rules.field("password")
        .length(8, 1024)
        .pattern(R"((?=[\s\S]*[a-z])(?=[\s\S]*[A-Z])(?=[\s\S]*[0-9])[\s\S]*)")
        .describe("At least 8 characters with upper case, lower case and a digit.");
    rules.field("email").length(3, 320).format("email");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// The disk of the keys may be full or broken: then nothing was done, and it can be tried again.
Result<CreateUser> prepare(const NewUser& user, Services& services) {
  try {
    return prepare_user(user, services.personal_data, services.hasher);
  } catch (const std::runtime_error& error) {
    services.logger.error("a person's key can't be stored", {{"error", error.what()}});
    return DomainError{DomainError::Kind::unavailable,
                       "STORAGE_UNAVAILABLE",
                       "The person's key can't be stored; nothing was written.",
                       {},
                       {},
                       5};
  }
}

// A key of nobody that stays behind harms nobody.
void forget(const std::string& key, Services& services) {
  try {
    services.personal_data.forget(key);
  } catch (const std::runtime_error& error) {
    services.logger.warn("an unused key can't be removed", {{"error", error.what()}});
  }
}

awaitable<HandlerResult> create_user(Call& call, Services& services) {
  const auto& body = call.body<CreateUserBody>();
  const NewUser user{body.username, body.name, body.email, body.password, body.role};
  BOOST_OUTCOME_CO_TRY(auto command, co_await http::blocking(services.login_threads, [&] {
                         return prepare(user, services);
                       }));
  const std::string key = command.username.key_id;
  auto public_part = body;  // no trace of a password, not even a hash, goes to the log
  public_part.password.clear();
  auto done =
      co_await run_command(call, services, std::move(command), codec::to_json_text(public_part));
  if (!done || done.value().replayed) {
    // The key of nobody: the user was refused, or had been made by the first try.
    BOOST_OUTCOME_CO_TRY(
        co_await http::blocking(services.login_threads, [&] { forget(key, services); }));
  }
  if (!done) co_return std::move(done).error();
  const auto& made = done.value().get<UserState>();
  BOOST_OUTCOME_CO_TRY(auto view, co_await http::blocking(services.login_threads, [&] {
                         return to_view(made, services.personal_data);
                       }));
  co_return written(
      http::reply(201, view).header("Location", "/api/v1/users/" + std::to_string(made.id.value)),
      done.value());
}

awaitable<HandlerResult> list_users(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto& query = call.query<UserListQuery>();
  BOOST_OUTCOME_CO_TRY(auto users, co_await read(services, [&] {
                         return projections::UserQueries(services.reads).list(query.role);
                       }));
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
  };
}

}  // namespace annolog::api
