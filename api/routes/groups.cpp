// Data groups.
#include <boost/describe/class.hpp>

#include "api/find_twice.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "domain/support/text.hpp"
#include "projections/identity/queries.hpp"

namespace annolog::api {

struct CreateGroupBody {
  std::string name;
  std::string description;
};
BOOST_DESCRIBE_STRUCT(CreateGroupBody, (), (name, description))

struct UpdateGroupBody {
  std::optional<std::string> name;
  std::optional<std::string> description;
};
BOOST_DESCRIBE_STRUCT(UpdateGroupBody, (), (name, description))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::CreateGroupBody> {
  static constexpr std::string_view kName = "CreateGroup";
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, 100);
    rules.field("description").length(0, 10'000).defaulted();
  }
};
template <>
struct SchemaRules<api::UpdateGroupBody> {
  static constexpr std::string_view kName = "UpdateGroup";
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, 100).not_null();
    rules.field("description").length(0, 10'000).not_null();
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

GroupView to_view(const GroupState& group, std::int64_t members) {
  return {group.id,      group.name,       group.description, members,
          group.version, group.created_at, group.updated_at};
}

awaitable<HandlerResult> list_groups(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto groups, co_await read(services, [&] {
                         return projections::IdentityQueries(services.reads).groups();
                       }));
  co_return http::reply(200, groups);
}

awaitable<HandlerResult> get_group(Call& call, Services& services) {
  const auto id = call.id<GroupId>("group_id");
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<GroupView>> {
      return projections::IdentityQueries(services.reads).group(id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto group, co_await find_twice(services, commands::kDirectory, find));
  if (!group) co_return not_found("group");
  co_return http::reply(200, *group).version(group->version);
}

awaitable<HandlerResult> create_group(Call& call, Services& services) {
  const auto& body = call.body<CreateGroupBody>();
  BOOST_OUTCOME_CO_TRY(
      auto done,
      co_await run_command(call, services, CreateGroup{trimmed(body.name), body.description},
                           codec::to_json_text(body)));
  const auto& made = done.get<GroupState>();
  const GroupView view = to_view(made, 0);
  co_return written(http::reply(201, view)
                        .version(view.version)
                        .header("Location", "/api/v1/groups/" + std::to_string(made.id.value)),
                    done);
}

awaitable<HandlerResult> update_group(Call& call, Services& services) {
  const auto& body = call.body<UpdateGroupBody>();
  UpdateGroup command{call.id<GroupId>("group_id"), call.if_match().versions(), std::nullopt,
                      body.description};
  if (body.name) command.name = trimmed(*body.name);
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& group = done.get<GroupState>();
  BOOST_OUTCOME_CO_TRY(auto shown, co_await read(services, [&] {
                         return projections::IdentityQueries(services.reads).group(group.id);
                       }));
  const GroupView view = to_view(group, shown ? shown->member_count : 0);
  co_return written(http::reply(200, view).version(view.version), done);
}

awaitable<HandlerResult> delete_group(Call& call, Services& services) {
  const DeleteGroup command{call.id<GroupId>("group_id"), call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

}  // namespace

http::RouteTable group_routes(Services& services) {
  const auto govern = http::Access::needs(Action::govern, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/groups",
       .operation_id = "listGroups",
       .summary = "All data groups with their member counts, in order of id",
       .tag = "groups",
       .access = http::Access::needs(Action::list_users, http::Scope::none),
       .reply = http::replies<std::vector<GroupView>>(200),
       .handler = [&services](Call& call) { return list_groups(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/groups/{group_id}",
       .operation_id = "getGroup",
       .summary = "A data group with its member count",
       .tag = "groups",
       .access = http::Access::needs(Action::list_users, http::Scope::none),
       .reply = http::replies<GroupView>(200),
       .handler = [&services](Call& call) { return get_group(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/groups",
       .operation_id = "createGroup",
       .summary = "Creates a data group",
       .tag = "groups",
       .access = govern,
       .action = "group.create",
       .target = "group",
       .body = http::Body::json<CreateGroupBody>(),
       .reply = http::replies<GroupView>(201),
       .handler = [&services](Call& call) { return create_group(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/groups/{group_id}",
       .operation_id = "updateGroup",
       .summary = "Changes a data group's name or description",
       .tag = "groups",
       .access = govern,
       .action = "group.update",
       .target = "group",
       .body = http::Body::json<UpdateGroupBody>(),
       .reply = http::replies<GroupView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return update_group(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/groups/{group_id}",
       .operation_id = "deleteGroup",
       .summary = "Deletes a data group; its members are in none",
       .tag = "groups",
       .access = govern,
       .action = "group.delete",
       .target = "group",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = [&services](Call& call) { return delete_group(call, services); }},
  };
}

}  // namespace annolog::api
