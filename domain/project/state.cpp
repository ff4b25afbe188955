#include "domain/project/state.hpp"

#include "domain/identity/refusals.hpp"
#include "domain/support/patch.hpp"

namespace annolog {

Standing ProjectState::standing(const Context& context) const {
  Standing standing{context.role, std::nullopt, context.actor == owner_id};
  if (const auto found = members.find(context.actor); found != members.end()) {
    standing.membership = found->second.role;
  }
  return standing;
}

bool ProjectState::visible_to(const Context& context) const {
  const auto role = standing(context).effective_role();
  return version != 0 && role && (status != ProjectStatus::archived || *role >= Role::reviewer);
}

Result<void> ProjectState::require(Action action, const Context& context) const {
  if (!visible_to(context)) return not_found("project");
  if (!standing(context).may(action)) return forbidden(action);
  return success();
}

Result<void> ProjectState::require_work(Action action, const Context& context) const {
  BOOST_OUTCOME_TRY(require(action, context));
  if (status == ProjectStatus::archived) {
    return project_archived();
  }
  return success();
}

DomainError project_archived() {
  return conflict("PROJECT_ARCHIVED", "The project is archived; no work happens in it.");
}

void evolve(ProjectState& state, const ProjectCreated& event, const Happened& how) {
  state = {.id = event.project_id,
           .name = event.name,
           .description = event.description,
           .type_key = event.type_key,
           .status = ProjectStatus::in_progress,
           .classes = event.classes,
           .attribute_schema = event.attribute_schema,
           .ai_enabled = event.ai_enabled,
           .review_required = event.review_required,
           .annotation_guide = event.annotation_guide,
           .rendering_config = event.rendering_config,
           .owner_id = event.owner_id,
           .members = {},
           .guide_assets = {},
           .deleted = false,
           .version = 1,
           .created_at = how.at,
           .updated_at = how.at};
}

void evolve(ProjectState& state, const ProjectUpdated& event, const Happened& how) {
  touch(state, how);
  set_if(state.name, event.name);
  set_if(state.description, event.description);
  set_if(state.attribute_schema, event.attribute_schema);
  set_if(state.ai_enabled, event.ai_enabled);
  set_if(state.review_required, event.review_required);
  set_if(state.annotation_guide, event.annotation_guide);
  set_if(state.rendering_config, event.rendering_config);
  set_if(state.status, event.status);
}

void evolve(ProjectState& state, const ProjectClassesReplaced& event, const Happened& how) {
  touch(state, how);
  state.classes = event.classes;
}

void evolve(ProjectState& state, const ProjectClassRenamed& event, const Happened& how) {
  touch(state, how);
  for (auto& c : state.classes.live) {
    if (c.id == event.class_id) c.name = event.new_name;
  }
}

void evolve(ProjectState& state, const ProjectMemberAdded& event, const Happened& how) {
  state.members[event.user_id] = {event.role, how.at};
}

void evolve(ProjectState& state, const ProjectMemberRoleChanged& event, const Happened&) {
  state.members[event.user_id].role = event.new_role;
}

void evolve(ProjectState& state, const ProjectMemberRemoved& event, const Happened&) {
  state.members.erase(event.user_id);
}

void evolve(ProjectState& state, const ProjectTransferred& event, const Happened& how) {
  touch(state, how);
  state.owner_id = event.new_owner_id;
}

void evolve(ProjectState& state, const ProjectDeleted& event, const Happened&) {
  state = {};
  state.id = event.project_id;
  state.deleted = true;
}

// A pending image is shown nowhere, so the project is as it was.
void evolve(ProjectState& state, const GuideAssetUploadStarted& event, const Happened& how) {
  state.guide_assets[event.asset_id] = {.file_name = event.file_name,
                                        .content_type = event.content_type,
                                        .size = event.size,
                                        .status = GuideAssetStatus::pending,
                                        .created_at = how.at};
}

void evolve(ProjectState& state, const GuideAssetReady& event, const Happened& how) {
  touch(state, how);
  state.guide_assets[event.asset_id].status = GuideAssetStatus::ready;
}

void evolve(ProjectState& state, const GuideAssetDeleted& event, const Happened& how) {
  const auto found = state.guide_assets.find(event.asset_id);
  if (found == state.guide_assets.end()) return;
  if (found->second.status == GuideAssetStatus::ready) touch(state, how);
  state.guide_assets.erase(found);
}

}  // namespace annolog
