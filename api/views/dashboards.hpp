// What the dashboards show: views with their schemas. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "api/http/schema_rules.hpp"
#include "api/views/statistics.hpp"

namespace annolog::api {

// A project and how far it is: GET /dashboard?view=projects.
struct ProjectProgress {
  ProjectId id;
  std::string display_id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  UserId owner_id;
  std::string owner_name;
  std::int64_t member_count = 0;
  std::int64_t total_tasks = 0;
  std::int64_t completed_tasks = 0;
  double progress = 0;
  TasksByStatus by_status;
  std::int64_t total_annotations = 0;
  std::int64_t ai_derived_annotations = 0;
  Timestamp created_at;
  Timestamp updated_at;
};
BOOST_DESCRIBE_STRUCT(ProjectProgress, (),
                      (id, display_id, name, type_key, status, owner_id, owner_name, member_count,
                       total_tasks, completed_tasks, progress, by_status, total_annotations,
                       ai_derived_annotations, created_at, updated_at))

struct ProjectProgressPage {
  std::vector<ProjectProgress> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ProjectProgressPage, (), (items, next_cursor))

struct AnnotatorProject {
  ProjectId id;
  std::string display_id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  std::int64_t total_tasks = 0;
  std::int64_t completed_tasks = 0;
  std::int64_t pending_tasks = 0;
  TasksByStatus my_tasks;
};
BOOST_DESCRIBE_STRUCT(AnnotatorProject, (),
                      (id, display_id, name, type_key, status, total_tasks, completed_tasks,
                       pending_tasks, my_tasks))

struct AnnotatorDashboard {
  std::int64_t open_tasks = 0;
  std::int64_t rejected_tasks = 0;
  TasksByStatus my_tasks;
  RecentCount submitted;
  std::vector<AnnotatorProject> projects;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AnnotatorDashboard, (),
                      (open_tasks, rejected_tasks, my_tasks, submitted, projects, next_cursor))

struct ReviewerProject {
  ProjectId id;
  std::string display_id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  std::int64_t waiting_tasks = 0;
  std::int64_t submitted = 0;
  std::int64_t review = 0;
};
BOOST_DESCRIBE_STRUCT(ReviewerProject, (),
                      (id, display_id, name, type_key, status, waiting_tasks, submitted, review))

struct ReviewerDashboard {
  std::int64_t waiting_tasks = 0;
  RecentCount approved;
  RecentCount rejected;
  std::vector<ReviewerProject> projects;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ReviewerDashboard, (),
                      (waiting_tasks, approved, rejected, projects, next_cursor))

struct UserFigures {
  std::int64_t total = 0;
  std::int64_t active = 0;
  UsersByRole by_role;
};
BOOST_DESCRIBE_STRUCT(UserFigures, (), (total, active, by_role))

struct ProjectFigures {
  std::int64_t total = 0;
  ProjectCounts by_status;
};
BOOST_DESCRIBE_STRUCT(ProjectFigures, (), (total, by_status))

struct TaskFigures {
  std::int64_t total = 0;
  std::int64_t completed = 0;
  TasksByStatus by_status;
};
BOOST_DESCRIBE_STRUCT(TaskFigures, (), (total, completed, by_status))

struct AnnotationFigures {
  std::int64_t total = 0;
  std::int64_t ai_derived = 0;
};
BOOST_DESCRIBE_STRUCT(AnnotationFigures, (), (total, ai_derived))

struct AdminDashboard {
  UserFigures users;
  ProjectFigures projects;
  TaskFigures tasks;
  AnnotationFigures annotations;
  RecentWork work;
};
BOOST_DESCRIBE_STRUCT(AdminDashboard, (), (users, projects, tasks, annotations, work))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::ProjectProgress> {
  static void apply(ObjectRules& rules) {
    rules.field("progress").describe("Completed tasks of all tasks, 0 to 1; 0 without tasks.");
  }
};
template <>
struct SchemaRules<api::AnnotatorProject> {
  static void apply(ObjectRules& rules) {
    rules.field("pending_tasks").describe("Tasks that nobody has taken yet.");
    rules.field("my_tasks").describe("Those assigned to the caller.");
  }
};
template <>
struct SchemaRules<api::AnnotatorDashboard> {
  static void apply(ObjectRules& rules) {
    rules.describe("Of the projects in which the caller annotates; archived ones left out.");
    rules.field("open_tasks").describe("The caller's tasks: assigned, in progress or rejected.");
    rules.field("rejected_tasks").describe("Those of them that were rejected and wait.");
    rules.field("submitted").describe("By the caller, in any project.");
    rules.field("projects").describe("A page of them, newest first.");
  }
};
template <>
struct SchemaRules<api::ReviewerDashboard> {
  static void apply(ObjectRules& rules) {
    rules.describe("Of the projects in which the caller reviews; archived ones left out.");
    rules.field("waiting_tasks").describe("Submitted, or in review.");
    rules.field("approved").describe("By the caller, in any project.");
    rules.field("rejected").describe("By the caller, in any project.");
    rules.field("projects").describe("A page of those where tasks wait, newest first.");
  }
};
template <>
struct SchemaRules<api::AdminDashboard> {
  static void apply(ObjectRules& rules) {
    rules.describe(
        "Of the projects that the caller administers; for a super_admin of all there is.");
    rules.field("users").describe("Owners and members; for a super_admin all users.");
    rules.field("work").describe("Of everybody in these projects.");
  }
};

}  // namespace annolog::http
