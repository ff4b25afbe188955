#include "projections/statistics/queries.hpp"

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define BRIEF_COLUMNS                                                                 \
  "p.id, p.name, p.type_key, p.status, p.owner_id, p.member_count, p.created_at_ms, " \
  "p.updated_at_ms"

constexpr Statement kAllProjects{"project_briefs_all",
                                 "SELECT " BRIEF_COLUMNS
                                 " FROM projects p WHERE p.id < $1::bigint ORDER BY p.id DESC "
                                 "LIMIT $2::bigint"};
constexpr Statement kSomeProjects{"project_briefs_some",
                                  "SELECT " BRIEF_COLUMNS
                                  " FROM projects p WHERE p.id < $1::bigint AND p.id = "
                                  "ANY($3::bigint[]) ORDER BY p.id DESC LIMIT $2::bigint"};
constexpr Statement kProjectsToReview{"project_briefs_to_review", "SELECT " BRIEF_COLUMNS R"sql(
FROM (
  SELECT DISTINCT n.project_id FROM task_counts n
  WHERE n.project_id = ANY($3::bigint[]) AND n.project_id < $1::bigint
    AND n.status IN ('submitted', 'review') AND n.tasks > 0
  ORDER BY n.project_id DESC LIMIT $2::bigint) waiting
JOIN projects p ON p.id = waiting.project_id ORDER BY p.id DESC
)sql"};

constexpr Statement kTasks{"task_counts_sum", R"sql(
SELECT status, sum(tasks)::bigint FROM task_counts WHERE project_id = ANY($1::bigint[])
GROUP BY status
)sql"};
constexpr Statement kTasksByProject{"task_counts_by_project", R"sql(
SELECT project_id, status, tasks FROM task_counts WHERE project_id = ANY($1::bigint[])
)sql"};
constexpr Statement kAssigned{"assignee_task_counts_by_project", R"sql(
SELECT project_id, status, tasks FROM assignee_task_counts
WHERE assignee_id = $1::bigint AND project_id = ANY($2::bigint[])
)sql"};
constexpr Statement kAnnotations{"annotation_counts_sum", R"sql(
SELECT coalesce(sum(annotations), 0)::bigint, coalesce(sum(ai_derived), 0)::bigint
FROM annotation_counts WHERE project_id = ANY($1::bigint[])
)sql"};
constexpr Statement kAnnotationsByProject{"annotation_counts_by_project", R"sql(
SELECT project_id, annotations, ai_derived FROM annotation_counts
WHERE project_id = ANY($1::bigint[])
)sql"};
constexpr Statement kWorkOf{"work_counts_of_user", R"sql(
SELECT day, action, sum(times)::bigint FROM work_counts
WHERE user_id = $1::bigint AND day >= $2::bigint GROUP BY day, action
)sql"};
constexpr Statement kWorkIn{"work_counts_in_projects", R"sql(
SELECT day, action, sum(times)::bigint FROM work_counts
WHERE project_id = ANY($1::bigint[]) AND day >= $2::bigint GROUP BY day, action
)sql"};

Params ids_only(std::span<const ProjectId> of) {
  Params params;
  add_ids(params, of);
  return params;
}

ProjectBrief read_brief(RowReader& row) {
  ProjectBrief project;
  project.id = row.id<ProjectId>();
  project.name = row.text();
  project.type_key = row.word<ProjectType>();
  project.status = row.word<ProjectStatus>();
  project.owner_id = row.id<UserId>();
  project.member_count = row.integer();
  project.created_at = row.time();
  project.updated_at = row.time();
  return project;
}

void read_count(RowReader& row, TaskCounts& counts) {
  const auto status = row.word<TaskStatus>();
  counts.at(static_cast<std::size_t>(status)) = row.integer();
}

AnnotationCounts read_annotation_counts(RowReader& row) {
  AnnotationCounts counts;
  counts.annotations = row.integer();
  counts.ai_derived = row.integer();
  return counts;
}

// What `take` makes of all rows, from `none` on; anew when the connection had died.
template <class Take, class Values>
Values gathered(ReadPool& pool, const Statement& statement, const Params& params, Values none,
                Take take) {
  Values values = none;
  pool.with_connection([&](PgConnection& connection) {
    values = none;
    const Rows rows = connection.execute(statement, params);
    for (int i = 0; i < rows.size(); ++i) {
      auto row = rows.row(i);
      take(row, values);
    }
  });
  return values;
}

void read_project_count(RowReader& row, std::map<ProjectId, TaskCounts>& counts) {
  read_count(row, counts[row.id<ProjectId>()]);
}

void read_work(RowReader& row, std::map<Day, WorkCounts>& days) {
  WorkCounts& counts = days[Day{row.integer()}];
  const auto action = row.word<WorkAction>();
  counts.at(static_cast<std::size_t>(action)) = row.integer();
}

auto page_of(ReadPool& pool, const Statement& statement, const Params& params, std::int64_t limit) {
  return make_page(fetch_all(pool, statement, params, read_brief), limit,
                   [](const ProjectBrief& project) { return project.id; });
}

Params page_params(std::optional<ProjectId> after, std::int64_t limit) {
  Params params;
  params.add(after.value_or(ProjectId{kMaxId + 1}).value).add(limit + 1);
  return params;
}

}  // namespace

Page<ProjectBrief, ProjectId> StatisticsQueries::projects(const SeenProjects& seen,
                                                          std::optional<ProjectId> after,
                                                          std::int64_t limit) const {
  Params params = page_params(after, limit);
  if (!seen.all) add_ids(params, seen.ids);
  return page_of(*pool_, seen.all ? kAllProjects : kSomeProjects, params, limit);
}

Page<ProjectBrief, ProjectId> StatisticsQueries::projects_to_review(std::span<const ProjectId> of,
                                                                    std::optional<ProjectId> after,
                                                                    std::int64_t limit) const {
  Params params = page_params(after, limit);
  add_ids(params, of);
  return page_of(*pool_, kProjectsToReview, params, limit);
}

TaskCounts StatisticsQueries::tasks(std::span<const ProjectId> of) const {
  return gathered(*pool_, kTasks, ids_only(of), TaskCounts{}, read_count);
}

std::map<ProjectId, TaskCounts> StatisticsQueries::tasks_by_project(
    std::span<const ProjectId> of) const {
  return gathered(*pool_, kTasksByProject, ids_only(of), std::map<ProjectId, TaskCounts>{},
                  read_project_count);
}

std::map<ProjectId, TaskCounts> StatisticsQueries::assigned_by_project(
    UserId assignee, std::span<const ProjectId> of) const {
  Params params;
  params.add(assignee.value);
  add_ids(params, of);
  return gathered(*pool_, kAssigned, params, std::map<ProjectId, TaskCounts>{}, read_project_count);
}

AnnotationCounts StatisticsQueries::annotations(std::span<const ProjectId> of) const {
  return fetch_one(*pool_, kAnnotations, ids_only(of), read_annotation_counts)
      .value_or(AnnotationCounts{});
}

std::map<ProjectId, AnnotationCounts> StatisticsQueries::annotations_by_project(
    std::span<const ProjectId> of) const {
  return gathered(*pool_, kAnnotationsByProject, ids_only(of),
                  std::map<ProjectId, AnnotationCounts>{},
                  [](RowReader& row, std::map<ProjectId, AnnotationCounts>& counts) {
                    const auto project = row.id<ProjectId>();
                    counts[project] = read_annotation_counts(row);
                  });
}

std::map<Day, WorkCounts> StatisticsQueries::work_of(UserId person, Day from) const {
  return gathered(*pool_, kWorkOf, std::move(Params().add(person.value).add(from.number)),
                  std::map<Day, WorkCounts>{}, read_work);
}

std::map<Day, WorkCounts> StatisticsQueries::work_in(std::span<const ProjectId> projects,
                                                     Day from) const {
  Params params = ids_only(projects);
  params.add(from.number);
  return gathered(*pool_, kWorkIn, params, std::map<Day, WorkCounts>{}, read_work);
}

std::vector<Statement> statistics_statements() {
  return {kAllProjects, kSomeProjects, kProjectsToReview,     kTasks,  kTasksByProject,
          kAssigned,    kAnnotations,  kAnnotationsByProject, kWorkOf, kWorkIn};
}

}  // namespace annolog::projections
