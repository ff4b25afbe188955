// Whose a project is, and its end: for those who govern the service.
#include <boost/describe/class.hpp>

#include "api/await_removal.hpp"
#include "api/routes/tables.hpp"
#include "api/second_look.hpp"
#include "api/views/schema_rules.hpp"
#include "projections/datasets/queries.hpp"

namespace annolog::api {

struct TransferProjectBody {
  UserId new_owner_id;
};
BOOST_DESCRIBE_STRUCT(TransferProjectBody, (), (new_owner_id))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::TransferProjectBody> {
  static constexpr std::string_view kName = "TransferProject";
  static void apply(ObjectRules& rules) {
    rules.field("new_owner_id")
        .describe("An active user whose global role is project_admin or super_admin.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// The global role of the active user with this id; a user who would be refused is looked for twice.
awaitable<Result<std::optional<Role>>> role_of(Call& call, Services& services, UserId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto find = [&]() -> std::optional<Role> {
    const auto user = services.directory.user(id);
    return user && user->active ? std::optional(user->role) : std::nullopt;
  };
  auto role = find();
  if (!role || *role < Role::project_admin) {
    BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(commands::kDirectory));
    role = find();
  }
  co_return role;
}

awaitable<HandlerResult> transfer_project(Call& call, Services& services) {
  const auto& body = call.body<TransferProjectBody>();
  BOOST_OUTCOME_CO_TRY(const auto role, co_await role_of(call, services, body.new_owner_id));
  const TransferProject command{call.id<ProjectId>("project_id"), body.new_owner_id, role};
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, command, codec::to_json_text(body)));
  auto& view = done.get<ProjectView>();
  complete(services, view);
  co_return written(http::reply(200, view).version(view.version), done);
}

// Datasets that the read models show as linked; none when they can't be asked.
awaitable<std::vector<DatasetId>> linked_datasets(Services& services, ProjectId id) {
  auto linked = co_await read(services, [&]() -> Result<std::vector<DatasetId>> {
    return projections::DatasetQueries(services.reads).ids_linked_to(id);
  });
  co_return linked ? std::move(linked).value() : std::vector<DatasetId>();
}

awaitable<HandlerResult> delete_project(Call& call, Services& services) {
  const auto id = call.id<ProjectId>("project_id");
  const auto datasets = co_await linked_datasets(services, id);
  DeleteProject command{id, call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command)));
  co_await await_removal(call, services, {id, {}});
  // Where the datasets stand without their links: who reads after this sees them so.
  std::vector<commands::Position> positions;
  if (done.position) positions.push_back(*done.position);
  for (const DatasetId dataset : datasets) {
    auto seen = co_await look(call, services, commands::ReadLinkWindow{dataset, id, 0});
    if (seen && seen.value().position) positions.push_back(*seen.value().position);
  }
  co_return written(http::no_content(), positions, done.replayed);
}

}  // namespace

http::RouteTable project_ownership_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/transfer",
       .operation_id = "transferProject",
       .summary = "Gives the project to another owner; the one before stays as project_admin",
       .tag = "projects",
       .access = Access::needs(Action::govern, Scope::project),
       .action = "project.transfer",
       .body = http::Body::json<TransferProjectBody>(),
       .reply = http::replies<ProjectView>(200),
       .handler = [&services](Call& call) { return transfer_project(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/projects/{project_id}",
       .operation_id = "deleteProject",
       .summary = "Deletes a project that has no tasks, for good; its name is free again",
       .tag = "projects",
       .access = Access::needs(Action::govern, Scope::project).even_when_gone(),
       .action = "project.delete",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = [&services](Call& call) { return delete_project(call, services); }},
  };
}

}  // namespace annolog::api
