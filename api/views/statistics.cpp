#include "api/views/statistics.hpp"

namespace annolog::api {
namespace {

constexpr std::int64_t kDaysLookedBack = 7;

std::int64_t of(const projections::TaskCounts& counts, TaskStatus status) {
  return counts.at(static_cast<std::size_t>(status));
}

UserCount of(const PeopleByRole& people, Role role) {
  const PeopleCount& count = people.at(static_cast<std::size_t>(role));
  return {count.active, count.inactive};
}

std::int64_t of(const ProjectsByStatus& projects, ProjectStatus status) {
  return projects.at(static_cast<std::size_t>(status));
}

}  // namespace

TasksByStatus::TasksByStatus(const projections::TaskCounts& counts)
    : pending(of(counts, TaskStatus::pending)),
      assigned(of(counts, TaskStatus::assigned)),
      in_progress(of(counts, TaskStatus::in_progress)),
      submitted(of(counts, TaskStatus::submitted)),
      review(of(counts, TaskStatus::review)),
      rejected(of(counts, TaskStatus::rejected)),
      completed(of(counts, TaskStatus::completed)) {}

std::int64_t TasksByStatus::total() const {
  return pending + assigned + in_progress + submitted + review + rejected + completed;
}

projections::Day first_day(Timestamp now) {
  return {projections::day_of(now).number - (kDaysLookedBack - 1)};
}

RecentWork work_of_days(const std::map<projections::Day, projections::WorkCounts>& days,
                        Timestamp now) {
  const projections::Day today = projections::day_of(now);
  RecentWork work;
  const auto add = [&](RecentCount& often, projections::WorkAction action, const auto& entry) {
    const std::int64_t times = entry.second.at(static_cast<std::size_t>(action));
    often.last_7_days += times;
    if (entry.first == today) often.today += times;
  };
  for (const auto& entry : days) {
    if (entry.first < first_day(now) || entry.first > today) continue;
    add(work.submitted, projections::WorkAction::submitted, entry);
    add(work.approved, projections::WorkAction::approved, entry);
    add(work.rejected, projections::WorkAction::rejected, entry);
  }
  return work;
}

UsersByRole::UsersByRole(const PeopleByRole& people)
    : viewer(of(people, Role::viewer)),
      annotator(of(people, Role::annotator)),
      reviewer(of(people, Role::reviewer)),
      project_admin(of(people, Role::project_admin)),
      super_admin(of(people, Role::super_admin)) {}

ProjectCounts::ProjectCounts(const ProjectsByStatus& projects)
    : in_progress(of(projects, ProjectStatus::in_progress)),
      completed(of(projects, ProjectStatus::completed)),
      archived(of(projects, ProjectStatus::archived)) {}

}  // namespace annolog::api
