// What decisions about a project need, and its fold. Kept in the project's shard.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/project/events.hpp"
#include "domain/project/guide.hpp"
#include "domain/support/result.hpp"

namespace annolog {

struct Member {
  Role role = Role::viewer;
  Timestamp added_at;
  bool operator==(const Member&) const = default;
};
BOOST_DESCRIBE_STRUCT(Member, (), (role, added_at))

struct ProjectState {
  ProjectId id;
  std::string name;
  std::string description;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
  ClassList classes;
  AttributeSchema attribute_schema;
  bool ai_enabled = false;
  bool review_required = false;
  std::string annotation_guide;
  JsonText rendering_config;
  UserId owner_id;
  std::map<UserId, Member> members;
  std::map<GuideAssetId, GuideAsset> guide_assets;
  bool deleted = false;      // all else is as if it had never been, but its id is used up
  std::int64_t version = 0;  // 0: does not exist
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const ProjectState&) const = default;

  Standing standing(const Context& context) const;
  // It exists, the caller has a part in it, and it isn't archived, which hides it from annotators
  // and viewers (spec, "Project status").
  bool visible_to(const Context& context) const;
  // not_found when the caller may not see the project, forbidden when it may not act.
  Result<void> require(Action action, const Context& context) const;
  // The same, and 409 when the project is archived: no work happens in it.
  Result<void> require_work(Action action, const Context& context) const;
};
BOOST_DESCRIBE_STRUCT(ProjectState, (),
                      (id, name, description, type_key, status, classes, attribute_schema,
                       ai_enabled, review_required, annotation_guide, rendering_config, owner_id,
                       members, guide_assets, deleted, version, created_at, updated_at))

DomainError project_archived();

void evolve(ProjectState& state, const ProjectCreated& event, const Happened& how);
void evolve(ProjectState& state, const ProjectUpdated& event, const Happened& how);
void evolve(ProjectState& state, const ProjectClassesReplaced& event, const Happened& how);
void evolve(ProjectState& state, const ProjectClassRenamed& event, const Happened& how);
void evolve(ProjectState& state, const ProjectMemberAdded& event, const Happened& how);
void evolve(ProjectState& state, const ProjectMemberRoleChanged& event, const Happened& how);
void evolve(ProjectState& state, const ProjectMemberRemoved& event, const Happened& how);
void evolve(ProjectState& state, const ProjectTransferred& event, const Happened& how);
void evolve(ProjectState& state, const ProjectDeleted& event, const Happened& how);
void evolve(ProjectState& state, const GuideAssetUploadStarted& event, const Happened& how);
void evolve(ProjectState& state, const GuideAssetReady& event, const Happened& how);
void evolve(ProjectState& state, const GuideAssetDeleted& event, const Happened& how);

}  // namespace annolog
