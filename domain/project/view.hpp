// How projects and members are shown (spec, "Project"; decisions, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/project/events.hpp"
#include "domain/project/state.hpp"
#include "domain/user/view.hpp"

namespace annolog {

inline constexpr std::int64_t kMlBackendLimit = 1;  // MAX_ML_BACKENDS_PER_PROJECT's default

struct ProjectView {
  ProjectId id;
  std::string display_id;  // P-<id>
  std::string name;
  std::string description;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  std::vector<ProjectClass> classes_config;  // live ones, in order
  AttributeSchema attribute_schema;
  bool ai_enabled = false;
  std::optional<std::int64_t> ml_backend_id;
  std::int64_t ml_backend_limit = kMlBackendLimit;
  bool review_required = false;
  UserId owner_id;
  std::string owner_name;
  std::int64_t member_count = 0;
  std::string annotation_guide;
  std::vector<GuideAssetView> guide_assets;  // ready ones, in order of id
  JsonText rendering_config{"{}"};
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const ProjectView&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectView, (),
                      (id, display_id, name, description, type_key, status, classes_config,
                       attribute_schema, ai_enabled, ml_backend_id, ml_backend_limit,
                       review_required, owner_id, owner_name, member_count, annotation_guide,
                       guide_assets, rendering_config, version, created_at, updated_at))

struct MemberView {
  ProjectId project_id;
  UserId user_id;
  Role role = Role::viewer;
  std::optional<UserBrief> user;
  Timestamp added_at;
  bool operator==(const MemberView&) const = default;
};
BOOST_DESCRIBE_STRUCT(MemberView, (), (project_id, user_id, role, user, added_at))

// Briefs and owner_name are left empty.
ProjectView to_view(const ProjectState& project);
MemberView to_view(const ProjectState& project, UserId member);

}  // namespace annolog
