// A copy of all users, for a spreadsheet or a program; leaves its trace in the log.
#include <boost/describe/class.hpp>

#include "api/csv.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

struct UserExportQuery {
  std::string format;
};
BOOST_DESCRIBE_STRUCT(UserExportQuery, (), (format))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::UserExportQuery> {
  static void apply(ObjectRules& rules) { rules.field("format").one_of({"csv", "json"}); }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

std::string csv_of(const std::vector<UserView>& users) {
  std::string text;
  add_csv_row(text,
              std::vector<std::string>{"id", "username", "name", "email", "role", "group_name",
                                       "is_active", "last_login_at", "created_at"});
  for (const UserView& user : users) {
    add_csv_row(text, std::vector<std::string>{
                          std::to_string(user.id.value), user.username, user.name,
                          user.email.value_or(""), std::string(to_string(user.role)),
                          user.group_name.value_or(""), user.is_active ? "true" : "false",
                          user.last_login_at ? to_rfc3339(*user.last_login_at) : "",
                          to_rfc3339(user.created_at)});
  }
  return text;
}

awaitable<HandlerResult> export_users(Call& call, Services& services) {
  const std::string& format = call.query<UserExportQuery>().format;
  call.audit().detail.format = format;
  // The trace comes first.
  BOOST_OUTCOME_CO_TRY(co_await run_command(call, services, RecordUserExport{format}));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto users, co_await read(services, [&] {
                         return projections::UserQueries(services.reads).list(std::nullopt);
                       }));
  for (auto& user : users) complete(services, user);
  auto file = format == "csv" ? http::reply_text("text/csv; charset=utf-8", csv_of(users))
                              : http::reply(200, users);
  co_return std::move(file)
      .header("Content-Disposition", "attachment; filename=\"users." + format + "\"")
      .header("Cache-Control", "no-store");
}

}  // namespace

http::RouteTable user_export_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/users/export",
       .operation_id = "exportUsers",
       .summary = "All users as a file: csv or json",
       .tag = "users",
       .access = http::Access::needs(Action::govern, http::Scope::none),
       .action = "user.export",
       .target = "user",
       .query = http::query_of<UserExportQuery>(),
       .reply =
           http::replies_media({"text/csv", "application/json"}, "csv; or json, as GET /users."),
       .handler = [&services](Call& call) { return export_users(call, services); }},
  };
}

}  // namespace annolog::api
