#include "domain/project/removal.hpp"

namespace annolog {

Removal removal_after(const ProjectState& before, const ProjectDeleted& event) {
  Removal removal{event.project_id, {}, {}};
  for (const auto& [id, asset] : before.guide_assets) {
    removal.object_keys.push_back(guide_asset_key(event.project_id, id, asset.content_type));
  }
  return removal;
}

Removal removal_after(const ProjectState& before, const GuideAssetDeleted& event) {
  Removal removal{event.project_id, event.asset_id, {}};
  if (const auto found = before.guide_assets.find(event.asset_id);
      found != before.guide_assets.end()) {
    removal.object_keys.push_back(
        guide_asset_key(event.project_id, event.asset_id, found->second.content_type));
  }
  return removal;
}

Result<Events> decide(bool is_unfinished, const FinishRemoval& command) {
  if (!is_unfinished) return Events{};  // done before
  ProjectRemovalFinished finished{command.project_id, std::nullopt};
  if (command.asset_id) finished.asset_id = command.asset_id;
  return Events{finished};
}

}  // namespace annolog
