// Members of a project.
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/second_look.hpp"
#include "api/work.hpp"
#include "projections/projects/queries.hpp"

namespace annolog::api {

struct AddMemberBody {
  UserId user_id;
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(AddMemberBody, (), (user_id, role))

struct ChangeMemberBody {
  Role role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(ChangeMemberBody, (), (role))

struct MemberPage {
  std::vector<MemberView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(MemberPage, (), (items, next_cursor))

namespace {

// The user, who must be active to become or stay somebody in a project.
awaitable<Result<KnownUser>> active_user(Call& call, Services& services, UserId id, bool in_body) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  auto user = services.directory.user(id);
  if (!user || !user->active) {
    BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(commands::kDirectory));
    user = services.directory.user(id);
  }
  if (user && user->active) co_return std::move(*user);
  if (!in_body) co_return not_found("member");
  co_return validation_error({{{"user_id"}, "No active user has this id.", "unknown_user"}});
}

http::Reply member_reply(const Services& services, int status, MemberView view) {
  complete(services, view);
  return http::reply(status, view);
}

awaitable<HandlerResult> list_members(Call& call, Services& services) {
  const auto id = call.id<ProjectId>("project_id");
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(const auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::ProjectQueries(services.reads)
                             .members(id, UserId{after.value_or(0)}, query.limit);
                       }));
  for (auto& member : page.items) complete(services, member);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> add_member(Call& call, Services& services) {
  const auto& body = call.body<AddMemberBody>();
  BOOST_OUTCOME_CO_TRY(auto user, co_await active_user(call, services, body.user_id, true));
  const AddMember command{call.id<ProjectId>("project_id"), body.user_id, body.role, user.role};
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, command, codec::to_json_text(body)));
  co_return written(member_reply(services, 201, std::move(done.get<MemberView>())), done);
}

awaitable<HandlerResult> change_member(Call& call, Services& services) {
  const auto& body = call.body<ChangeMemberBody>();
  const auto member = call.id<UserId>("user_id");
  BOOST_OUTCOME_CO_TRY(auto user, co_await active_user(call, services, member, false));
  const ChangeMemberRole command{call.id<ProjectId>("project_id"), member, body.role, user.role};
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, command, codec::to_json_text(body)));
  co_return written(member_reply(services, 200, std::move(done.get<MemberView>())), done);
}

awaitable<HandlerResult> remove_member(Call& call, Services& services) {
  const RemoveMember command{call.id<ProjectId>("project_id"), call.id<UserId>("user_id")};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

}  // namespace

http::RouteTable member_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/members",
       .operation_id = "listMembers",
       .summary = "The project's members, in order of user id",
       .tag = "members",
       .access = Access::needs(Action::read_project, Scope::project),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<MemberPage>(200),
       .handler = [&services](Call& call) { return list_members(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/members",
       .operation_id = "addMember",
       .summary = "Makes a user a member",
       .tag = "members",
       .access = Access::needs(Action::administer, Scope::project),
       .action = "project.add_member",
       .target = "user",
       .body = http::Body::json<AddMemberBody>(),
       .reply = http::replies<MemberView>(201),
       .handler = [&services](Call& call) { return add_member(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/projects/{project_id}/members/{user_id}",
       .operation_id = "changeMemberRole",
       .summary = "Changes a member's role",
       .tag = "members",
       .access = Access::needs(Action::administer, Scope::project),
       .action = "project.change_member_role",
       .target = "user",
       .body = http::Body::json<ChangeMemberBody>(),
       .reply = http::replies<MemberView>(200),
       .handler = [&services](Call& call) { return change_member(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/projects/{project_id}/members/{user_id}",
       .operation_id = "removeMember",
       .summary = "Ends a membership",
       .tag = "members",
       .access = Access::needs(Action::administer, Scope::project),
       .action = "project.remove_member",
       .target = "user",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return remove_member(call, services); }},
  };
}

}  // namespace annolog::api
