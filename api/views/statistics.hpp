// How numbers of projects and of people's work are shown. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "api/directory.hpp"
#include "api/http/schema_rules.hpp"
#include "domain/project/events.hpp"
#include "projections/statistics/queries.hpp"

namespace annolog::api {

// Every status with its number of tasks, also when that is 0.
struct TasksByStatus {
  std::int64_t pending = 0;
  std::int64_t assigned = 0;
  std::int64_t in_progress = 0;
  std::int64_t submitted = 0;
  std::int64_t review = 0;
  std::int64_t rejected = 0;
  std::int64_t completed = 0;

  TasksByStatus() = default;
  explicit TasksByStatus(const projections::TaskCounts& counts);
  std::int64_t total() const;
};
BOOST_DESCRIBE_STRUCT(TasksByStatus, (),
                      (pending, assigned, in_progress, submitted, review, rejected, completed))

// GET /projects/stats.
struct ProjectStats {
  std::int64_t total_projects = 0;
  std::int64_t total_tasks = 0;
  std::int64_t completed_tasks = 0;
  std::int64_t total_annotations = 0;
  std::int64_t ai_derived_annotations = 0;
  TasksByStatus by_status;
};
BOOST_DESCRIBE_STRUCT(ProjectStats, (),
                      (total_projects, total_tasks, completed_tasks, total_annotations,
                       ai_derived_annotations, by_status))

// How often something was done.
struct RecentCount {
  std::int64_t today = 0;
  std::int64_t last_7_days = 0;  // today among them
};
BOOST_DESCRIBE_STRUCT(RecentCount, (), (today, last_7_days))

struct RecentWork {
  RecentCount submitted;
  RecentCount approved;
  RecentCount rejected;
};
BOOST_DESCRIBE_STRUCT(RecentWork, (), (submitted, approved, rejected))

// The days that a dashboard looks back on begin with this one.
projections::Day first_day(Timestamp now);
RecentWork work_of_days(const std::map<projections::Day, projections::WorkCounts>& days,
                        Timestamp now);

struct UserCount {
  std::int64_t active = 0;
  std::int64_t inactive = 0;
};
BOOST_DESCRIBE_STRUCT(UserCount, (), (active, inactive))

struct UsersByRole {
  UserCount viewer;
  UserCount annotator;
  UserCount reviewer;
  UserCount project_admin;
  UserCount super_admin;

  UsersByRole() = default;
  explicit UsersByRole(const PeopleByRole& people);
};
BOOST_DESCRIBE_STRUCT(UsersByRole, (), (viewer, annotator, reviewer, project_admin, super_admin))

struct ProjectCounts {
  std::int64_t in_progress = 0;
  std::int64_t completed = 0;
  std::int64_t archived = 0;

  ProjectCounts() = default;
  explicit ProjectCounts(const ProjectsByStatus& projects);
  std::int64_t total() const { return in_progress + completed + archived; }
};
BOOST_DESCRIBE_STRUCT(ProjectCounts, (), (in_progress, completed, archived))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::TasksByStatus> {
  static void apply(ObjectRules& rules) {
    rules.describe("Tasks by their status: every status with its number.");
  }
};
template <>
struct SchemaRules<api::ProjectStats> {
  static void apply(ObjectRules& rules) {
    rules.describe("Over all projects that the caller may see.");
    rules.field("total_annotations").describe("Those that are not deleted.");
    rules.field("ai_derived_annotations")
        .describe("Those of them that were accepted from a prediction.");
    rules.field("by_status").describe("The number of tasks of every status.");
  }
};
template <>
struct SchemaRules<api::RecentCount> {
  static void apply(ObjectRules& rules) {
    rules.describe("Days of UTC.");
    rules.field("last_7_days").describe("Today and the six days before.");
  }
};
template <>
struct SchemaRules<api::UserCount> {
  static void apply(ObjectRules& rules) { rules.describe("Erased users are not counted."); }
};

}  // namespace annolog::http
