// Numbers of projects, people and days, all of them from counters that are kept with the rows. Any
// thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/project/events.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"
#include "projections/tasks/queries.hpp"
#include "projections/work/days.hpp"

namespace annolog::projections {

struct AnnotationCounts {
  std::int64_t annotations = 0;
  std::int64_t ai_derived = 0;
};

// Index by WorkAction.
using WorkCounts = std::array<std::int64_t, 3>;

// A project as lists of numbers name it.
struct ProjectBrief {
  ProjectId id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  UserId owner_id;
  std::int64_t member_count = 0;
  Timestamp created_at;
  Timestamp updated_at;
};

class StatisticsQueries {
 public:
  explicit StatisticsQueries(ReadPool& pool) : pool_(&pool) {}

  // Newest first; `after`: Page::next of the page before.
  Page<ProjectBrief, ProjectId> projects(const SeenProjects& seen, std::optional<ProjectId> after,
                                         std::int64_t limit) const;
  // Of these, those where tasks wait for a review, newest first.
  Page<ProjectBrief, ProjectId> projects_to_review(std::span<const ProjectId> of,
                                                   std::optional<ProjectId> after,
                                                   std::int64_t limit) const;

  TaskCounts tasks(std::span<const ProjectId> of) const;
  std::map<ProjectId, TaskCounts> tasks_by_project(std::span<const ProjectId> of) const;
  AnnotationCounts annotations(std::span<const ProjectId> of) const;
  std::map<ProjectId, AnnotationCounts> annotations_by_project(std::span<const ProjectId> of) const;
  // Tasks that are assigned to that person.
  std::map<ProjectId, TaskCounts> assigned_by_project(UserId assignee,
                                                      std::span<const ProjectId> of) const;

  // From that day on; days on which nothing was done are left out.
  std::map<Day, WorkCounts> work_of(UserId person, Day from) const;
  std::map<Day, WorkCounts> work_in(std::span<const ProjectId> projects, Day from) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
