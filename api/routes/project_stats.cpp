// Numbers over all projects that the caller sees.
#include "api/routes/tables.hpp"
#include "api/settled_reads.hpp"
#include "api/views/statistics.hpp"
#include "api/work.hpp"

namespace annolog::api {
namespace {

ProjectStats stats_of(const projections::StatisticsQueries& queries,
                      std::span<const ProjectId> projects) {
  const TasksByStatus tasks(queries.tasks(projects));
  const auto annotations = queries.annotations(projects);
  return {.total_projects = static_cast<std::int64_t>(projects.size()),
          .total_tasks = tasks.total(),
          .completed_tasks = tasks.completed,
          .total_annotations = annotations.annotations,
          .ai_derived_annotations = annotations.ai_derived,
          .by_status = tasks};
}

awaitable<HandlerResult> get_stats(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_all_settled(call, services));
  const auto& caller = call.caller();
  BOOST_OUTCOME_CO_TRY(auto stats, co_await read(services, [&] {
                         return stats_of(
                             projections::StatisticsQueries(services.reads),
                             services.directory.visible_projects(caller.id, caller.role));
                       }));
  co_return http::reply(200, stats);
}

}  // namespace

http::RouteTable project_stats_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/projects/stats",
       .operation_id = "getProjectStats",
       .summary = "Tasks and annotations of all projects that the caller may see, in numbers",
       .tag = "projects",
       .access = http::Access::needs(Action::use_account, http::Scope::none),
       .reply = http::replies<ProjectStats>(200),
       .handler = [&services](Call& call) { return get_stats(call, services); }},
  };
}

}  // namespace annolog::api
