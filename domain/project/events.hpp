// Facts about a project: settings, classes, members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/project/attribute_schema.hpp"
#include "domain/project/classes.hpp"
#include "domain/project/guide_events.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"

namespace annolog {

enum class ProjectStatus : std::uint8_t { in_progress, completed, archived };
BOOST_DESCRIBE_ENUM(ProjectStatus, in_progress, completed, archived)

// Names of type_key, with '_' for '-' (decisions, section 3); written with '-' everywhere outside.
enum class ProjectType : std::uint8_t {
  image_det,
  image_seg,
  image_kpt,
  video_track,
  video_det,
  other
};
BOOST_DESCRIBE_ENUM(ProjectType, image_det, image_seg, image_kpt, video_track, video_det, other)

struct ProjectCreated {
  static constexpr std::string_view kType = "project.created";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  std::string name;
  std::string description;
  ProjectType type_key = ProjectType::image_det;
  ClassList classes;
  AttributeSchema attribute_schema;
  bool ai_enabled = false;
  bool review_required = false;
  std::string annotation_guide;
  JsonText rendering_config;
  UserId owner_id;
  bool operator==(const ProjectCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectCreated, (),
                      (project_id, name, description, type_key, classes, attribute_schema,
                       ai_enabled, review_required, annotation_guide, rendering_config, owner_id))

// Only what changed is there.
struct ProjectUpdated {
  static constexpr std::string_view kType = "project.updated";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<AttributeSchema> attribute_schema;
  std::optional<bool> ai_enabled;
  std::optional<bool> review_required;
  std::optional<std::string> annotation_guide;
  std::optional<JsonText> rendering_config;
  std::optional<ProjectStatus> status;
  bool operator==(const ProjectUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectUpdated, (),
                      (project_id, name, description, attribute_schema, ai_enabled, review_required,
                       annotation_guide, rendering_config, status))

// The class list after the change, whole.
struct ProjectClassesReplaced {
  static constexpr std::string_view kType = "project.classes_replaced";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  ClassList classes;
  bool operator==(const ProjectClassesReplaced&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectClassesReplaced, (), (project_id, classes))

// Annotations carry the class id, so one fact renames them all.
struct ProjectClassRenamed {
  static constexpr std::string_view kType = "project.class_renamed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  ClassId class_id;
  std::string old_name;
  std::string new_name;
  bool operator==(const ProjectClassRenamed&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectClassRenamed, (), (project_id, class_id, old_name, new_name))

struct ProjectMemberAdded {
  static constexpr std::string_view kType = "project.member_added";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  UserId user_id;
  Role role = Role::viewer;
  bool operator==(const ProjectMemberAdded&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectMemberAdded, (), (project_id, user_id, role))

struct ProjectMemberRoleChanged {
  static constexpr std::string_view kType = "project.member_role_changed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  UserId user_id;
  Role old_role = Role::viewer;
  Role new_role = Role::viewer;
  bool operator==(const ProjectMemberRoleChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectMemberRoleChanged, (), (project_id, user_id, old_role, new_role))

struct ProjectMemberRemoved {
  static constexpr std::string_view kType = "project.member_removed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  UserId user_id;
  bool operator==(const ProjectMemberRemoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectMemberRemoved, (), (project_id, user_id))

// Someone took the project's annotations out; written before the first byte leaves.
struct ProjectExported {
  static constexpr std::string_view kType = "project.exported";
  static constexpr int kVersion = 2;  // v1 knew no batches
  ProjectId project_id;
  std::string format;
  bool include_attributes = false;
  std::optional<BatchId> of_batch;  // absent: the whole project
  bool operator==(const ProjectExported&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectExported, (), (project_id, format, include_attributes, of_batch))

// The old owner's membership is an event of its own, before this one.
struct ProjectTransferred {
  static constexpr std::string_view kType = "project.transferred";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  UserId old_owner_id;
  UserId new_owner_id;
  bool operator==(const ProjectTransferred&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectTransferred, (), (project_id, old_owner_id, new_owner_id))

// With its classes, members and guide. What it has elsewhere (its name, links, stored bytes) goes
// in the steps that follow.
struct ProjectDeleted {
  static constexpr std::string_view kType = "project.deleted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  bool operator==(const ProjectDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectDeleted, (), (project_id))

// Nothing is left elsewhere of the deleted project, or of its deleted guide image.
struct ProjectRemovalFinished {
  static constexpr std::string_view kType = "project.removal_finished";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  std::optional<GuideAssetId> asset_id;  // absent: the project itself
  bool operator==(const ProjectRemovalFinished&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectRemovalFinished, (), (project_id, asset_id))

// The dataset's tasks go from the project, in the steps that follow; the link makes no more.
struct ProjectDatasetUnlinked {
  static constexpr std::string_view kType = "project.dataset_unlinked";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  DatasetId dataset_id;
  std::int64_t link = 0;  // Link::number
  bool operator==(const ProjectDatasetUnlinked&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectDatasetUnlinked, (), (project_id, dataset_id, link))

// None of the dataset's tasks is left, and the dataset names the project no more.
struct ProjectUnlinkFinished {
  static constexpr std::string_view kType = "project.unlink_finished";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  DatasetId dataset_id;
  bool operator==(const ProjectUnlinkFinished&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectUnlinkFinished, (), (project_id, dataset_id))

}  // namespace annolog
