// What each role looks at first: numbers of projects and of the caller's own work.
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/settled_reads.hpp"
#include "api/views/dashboards.hpp"
#include "api/work.hpp"

namespace annolog::api {

enum class DashboardKind : std::uint8_t { projects };
BOOST_DESCRIBE_ENUM(DashboardKind, projects)

struct DashboardQuery {
  DashboardKind view = DashboardKind::projects;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(DashboardQuery, (), (view, limit, cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::DashboardQuery> {
  static void apply(ObjectRules& rules) { api::limit_rule(rules); }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using projections::ProjectBrief;
using projections::StatisticsQueries;
using BriefPage = projections::Page<ProjectBrief, ProjectId>;

// A page, and where the next one starts.
template <class T>
struct Paged {
  T shown;
  std::optional<ProjectId> next;
};

std::vector<ProjectId> ids_of(const BriefPage& page) {
  std::vector<ProjectId> ids;
  for (const ProjectBrief& project : page.items) ids.push_back(project.id);
  return ids;
}

template <class Counts>
Counts at_or_none(const std::map<ProjectId, Counts>& by_project, ProjectId id) {
  const auto found = by_project.find(id);
  return found == by_project.end() ? Counts{} : found->second;
}

// The members that all views of a project share.
template <class View>
View named(const ProjectBrief& project) {
  View view;
  view.id = project.id;
  view.display_id = "P-" + std::to_string(project.id.value);
  view.name = project.name;
  view.type_key = project.type_key;
  view.status = project.status;
  return view;
}

ProjectProgress progress_of(const Services& services, const ProjectBrief& project,
                            const TasksByStatus& tasks,
                            const projections::AnnotationCounts& annotations) {
  auto view = named<ProjectProgress>(project);
  view.owner_id = project.owner_id;
  view.owner_name = services.directory.brief(project.owner_id).name;
  view.member_count = project.member_count;
  view.total_tasks = tasks.total();
  view.completed_tasks = tasks.completed;
  if (view.total_tasks > 0)
    view.progress = static_cast<double>(tasks.completed) / static_cast<double>(view.total_tasks);
  view.by_status = tasks;
  view.total_annotations = annotations.annotations;
  view.ai_derived_annotations = annotations.ai_derived;
  view.created_at = project.created_at;
  view.updated_at = project.updated_at;
  return view;
}

Paged<ProjectProgressPage> read_progress(const Services& services, std::optional<ProjectId> after,
                                         std::int64_t limit) {
  const StatisticsQueries queries(services.reads);
  const auto page = queries.projects({.all = true, .ids = {}}, after, limit);
  const auto ids = ids_of(page);
  const auto tasks = queries.tasks_by_project(ids);
  const auto annotations = queries.annotations_by_project(ids);
  ProjectProgressPage shown;
  for (const ProjectBrief& project : page.items) {
    shown.items.push_back(progress_of(services, project,
                                      TasksByStatus(at_or_none(tasks, project.id)),
                                      at_or_none(annotations, project.id)));
  }
  return {std::move(shown), page.next};
}

Paged<AnnotatorDashboard> read_annotator(const Call& call, const Services& services,
                                         std::optional<ProjectId> after) {
  const auto& caller = call.caller();
  const StatisticsQueries queries(services.reads);
  const auto projects =
      services.directory.projects_as(caller.id, caller.role, Role::annotator, Archived::without);
  const auto mine = queries.assigned_by_project(caller.id, projects);
  projections::TaskCounts sum{};
  for (const auto& [id, counts] : mine) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum.at(i) += counts.at(i);
  }
  AnnotatorDashboard shown;
  shown.my_tasks = TasksByStatus(sum);
  shown.rejected_tasks = shown.my_tasks.rejected;
  shown.open_tasks = shown.my_tasks.assigned + shown.my_tasks.in_progress + shown.my_tasks.rejected;
  shown.submitted =
      work_of_days(queries.work_of(caller.id, first_day(call.now())), call.now()).submitted;

  const auto page =
      queries.projects({.all = false, .ids = projects}, after, call.query<PageQuery>().limit);
  const auto tasks = queries.tasks_by_project(ids_of(page));
  for (const ProjectBrief& project : page.items) {
    const TasksByStatus all(at_or_none(tasks, project.id));
    auto view = named<AnnotatorProject>(project);
    view.total_tasks = all.total();
    view.completed_tasks = all.completed;
    view.pending_tasks = all.pending;
    view.my_tasks = TasksByStatus(at_or_none(mine, project.id));
    shown.projects.push_back(std::move(view));
  }
  return {std::move(shown), page.next};
}

Paged<ReviewerDashboard> read_reviewer(const Call& call, const Services& services,
                                       std::optional<ProjectId> after) {
  const auto& caller = call.caller();
  const StatisticsQueries queries(services.reads);
  const auto projects =
      services.directory.projects_as(caller.id, caller.role, Role::reviewer, Archived::without);
  const TasksByStatus sum(queries.tasks(projects));
  const RecentWork work =
      work_of_days(queries.work_of(caller.id, first_day(call.now())), call.now());
  ReviewerDashboard shown;
  shown.waiting_tasks = sum.submitted + sum.review;
  shown.approved = work.approved;
  shown.rejected = work.rejected;

  const auto page = queries.projects_to_review(projects, after, call.query<PageQuery>().limit);
  const auto tasks = queries.tasks_by_project(ids_of(page));
  for (const ProjectBrief& project : page.items) {
    const TasksByStatus all(at_or_none(tasks, project.id));
    auto view = named<ReviewerProject>(project);
    view.submitted = all.submitted;
    view.review = all.review;
    view.waiting_tasks = all.submitted + all.review;
    shown.projects.push_back(std::move(view));
  }
  return {std::move(shown), page.next};
}

UserFigures user_figures(const PeopleByRole& people) {
  UserFigures figures{.total = 0, .active = 0, .by_role = UsersByRole(people)};
  for (const PeopleCount& count : people) {
    figures.total += count.active + count.inactive;
    figures.active += count.active;
  }
  return figures;
}

AdminDashboard read_admin(const Call& call, const Services& services) {
  const auto& caller = call.caller();
  const Directory& directory = services.directory;
  const StatisticsQueries queries(services.reads);
  const auto projects =
      directory.projects_as(caller.id, caller.role, Role::project_admin, Archived::with);
  const ProjectCounts by_status(directory.count(projects));
  const TasksByStatus tasks(queries.tasks(projects));
  const auto annotations = queries.annotations(projects);
  return {
      .users = user_figures(caller.role == Role::super_admin ? directory.count_people()
                                                             : directory.count_people(projects)),
      .projects = {by_status.total(), by_status},
      .tasks = {tasks.total(), tasks.completed, tasks},
      .annotations = {annotations.annotations, annotations.ai_derived},
      .work = work_of_days(queries.work_in(projects, first_day(call.now())), call.now())};
}

// What `query` reads from the place that the cursor names; the answer gets the next one.
template <class Query>
awaitable<HandlerResult> paged(Call& call, Services& services,
                               const std::optional<std::string>& cursor, Query query) {
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_all_settled(call, services));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return query(after ? std::optional(ProjectId{*after}) : std::nullopt);
                       }));
  page.shown.next_cursor = next_cursor(call, services, page.next);
  co_return http::reply(200, page.shown);
}

awaitable<HandlerResult> get_progress(Call& call, Services& services) {
  const auto& query = call.query<DashboardQuery>();
  co_return co_await paged(call, services, query.cursor, [&](std::optional<ProjectId> after) {
    return read_progress(services, after, query.limit);
  });
}

awaitable<HandlerResult> get_annotator(Call& call, Services& services) {
  co_return co_await paged(
      call, services, call.query<PageQuery>().cursor,
      [&](std::optional<ProjectId> after) { return read_annotator(call, services, after); });
}

awaitable<HandlerResult> get_reviewer(Call& call, Services& services) {
  co_return co_await paged(
      call, services, call.query<PageQuery>().cursor,
      [&](std::optional<ProjectId> after) { return read_reviewer(call, services, after); });
}

awaitable<HandlerResult> get_admin(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_all_settled(call, services));
  BOOST_OUTCOME_CO_TRY(auto shown,
                       co_await read(services, [&] { return read_admin(call, services); }));
  co_return http::reply(200, shown);
}

}  // namespace

http::RouteTable dashboard_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::get,
       .path = "/api/v1/dashboard",
       .operation_id = "getDashboard",
       .summary = "All projects with their progress, newest first",
       .tag = "dashboards",
       .access = Access::needs(Action::govern, Scope::none),
       .query = http::query_of<DashboardQuery>(),
       .reply = http::replies<ProjectProgressPage>(200),
       .handler = [&services](Call& call) { return get_progress(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/dashboard/admin",
       .operation_id = "getAdminDashboard",
       .summary = "Users, projects, tasks and annotations of the caller's projects in numbers",
       .tag = "dashboards",
       .access = Access::needs(Action::administer, Scope::none),
       .reply = http::replies<AdminDashboard>(200),
       .handler = [&services](Call& call) { return get_admin(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/dashboard/reviewer",
       .operation_id = "getReviewerDashboard",
       .summary = "What waits for a review, and what the caller has reviewed",
       .tag = "dashboards",
       .access = Access::needs(Action::review, Scope::none),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<ReviewerDashboard>(200),
       .handler = [&services](Call& call) { return get_reviewer(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/dashboard/annotator",
       .operation_id = "getAnnotatorDashboard",
       .summary = "The caller's tasks and submissions, and the projects to annotate in",
       .tag = "dashboards",
       .access = Access::needs(Action::annotate, Scope::none),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<AnnotatorDashboard>(200),
       .handler = [&services](Call& call) { return get_annotator(call, services); }},
  };
}

}  // namespace annolog::api
