// The images of a project's guide, and what deleted ones and deleted projects leave elsewhere.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

ReplyRef guide_asset_reply(ProjectId project, GuideAssetId asset) {
  return {ReplyKind::guide_asset, {project.value, asset.value}, {}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const StartGuideAsset& command) {
  const GuideAssetId next{on.state.id_of(on.state.counter("guide_asset") + 1)};
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context, next));
  return Handled{std::move(events), guide_asset_reply(command.project_id, next)};
}

Result<Handled> handle(const Handling& on, const CompleteGuideAsset& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context));
  return Handled{std::move(events), guide_asset_reply(command.project_id, command.asset_id)};
}

Result<Handled> handle(const Handling& on, const DeleteGuideAsset& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const ReadRemoval& command) {
  const bool any = on.state.exists(removal_key(command.project_id, command.asset_id));
  return Handled{{}, {}, Reply{Remains{any}}};
}

Result<Handled> handle(const Handling& on, const FinishRemoval& command) {
  const bool is_unfinished = on.state.exists(removal_key(command.project_id, command.asset_id));
  BOOST_OUTCOME_TRY(auto events, decide(is_unfinished, command));
  return Handled{std::move(events), {}};
}

}  // namespace annolog::commands
