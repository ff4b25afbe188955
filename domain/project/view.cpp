#include "domain/project/view.hpp"

namespace annolog {

ProjectView to_view(const ProjectState& project) {
  ProjectView view;
  view.id = project.id;
  view.display_id = "P-" + std::to_string(project.id.value);
  view.name = project.name;
  view.description = project.description;
  view.type_key = project.type_key;
  view.status = project.status;
  view.classes_config = project.classes.live;
  view.attribute_schema = project.attribute_schema;
  view.ai_enabled = project.ai_enabled;
  view.review_required = project.review_required;
  view.owner_id = project.owner_id;
  view.member_count = static_cast<std::int64_t>(project.members.size());
  view.annotation_guide = project.annotation_guide;
  for (const auto& [id, asset] : project.guide_assets) {
    if (asset.status == GuideAssetStatus::ready) view.guide_assets.push_back(to_view(id, asset));
  }
  view.rendering_config = project.rendering_config;
  view.version = project.version;
  view.created_at = project.created_at;
  view.updated_at = project.updated_at;
  return view;
}

MemberView to_view(const ProjectState& project, UserId member) {
  MemberView view{project.id, member, Role::viewer, std::nullopt, {}};
  if (const auto found = project.members.find(member); found != project.members.end()) {
    view.role = found->second.role;
    view.added_at = found->second.added_at;
  }
  return view;
}

}  // namespace annolog
