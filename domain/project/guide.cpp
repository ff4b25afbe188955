#include "domain/project/guide.hpp"

#include <algorithm>
#include <array>

#include "domain/identity/refusals.hpp"
#include "domain/project/guide_commands.hpp"
#include "domain/support/length.hpp"

namespace annolog {
namespace {

struct GuideType {
  std::string_view media_type;
  std::string_view extension;
};
constexpr std::array<GuideType, 4> kGuideTypes{{
    {"image/png", "png"},
    {"image/jpeg", "jpg"},
    {"image/webp", "webp"},
    {"image/gif", "gif"},
}};

const GuideType* find_type(std::string_view content_type) {
  const auto* const found = std::ranges::find(kGuideTypes, content_type, &GuideType::media_type);
  return found == kGuideTypes.end() ? nullptr : found;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

Result<void> check(const StartGuideAsset& command) {
  std::vector<FieldError> errors;
  check_length(trimmed(command.file_name), 1, kMaxGuideFileNameLength, "file_name", errors);
  if (has_control_character(command.file_name)) {
    errors.push_back({{"file_name"}, "Must not hold control characters.", "control_character"});
  }
  if (!is_guide_type(lower_ascii(command.content_type))) {
    errors.push_back({{"content_type"},
                      "Must be image/png, image/jpeg, image/webp or image/gif.",
                      "unknown_type"});
  }
  if (command.size < 1 || command.size > kMaxGuideAssetBytes) {
    errors.push_back({{"size"},
                      "Must be 1 to " + std::to_string(kMaxGuideAssetBytes) + " bytes.",
                      "out_of_range"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<void> check_stored(const GuideAsset& asset, const CompleteGuideAsset& command) {
  std::vector<FieldError> errors;
  if (command.stored_size != asset.size) {
    errors.push_back({{"asset_id"},
                      "The stored object has " + std::to_string(command.stored_size) +
                          " bytes, announced were " + std::to_string(asset.size) + ".",
                      "size_mismatch"});
  }
  if (command.stored_type != asset.content_type) {
    errors.push_back({{"asset_id"},
                      "The stored object is of type " + command.stored_type + ", announced was " +
                          asset.content_type + ".",
                      "type_mismatch"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

bool is_given_up(const GuideAsset& asset, Timestamp now) {
  return asset.status == GuideAssetStatus::pending && now - asset.created_at > kGuideUploadMs;
}

}  // namespace

bool is_guide_type(std::string_view content_type) { return find_type(content_type) != nullptr; }

std::string guide_asset_key(ProjectId project, GuideAssetId asset, std::string_view content_type) {
  const GuideType* type = find_type(content_type);
  return "projects/" + std::to_string(project.value) + "/guide/" + std::to_string(asset.value) +
         "/image." + std::string(type == nullptr ? "bin" : type->extension);
}

GuideAssetView to_view(GuideAssetId id, const GuideAsset& asset) {
  return {id, asset.file_name, asset.content_type, asset.size, asset.created_at};
}

Result<Events> decide(const ProjectState& state, const StartGuideAsset& command,
                      const Context& context, GuideAssetId next_id) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  BOOST_OUTCOME_TRY(check(command));
  Events events;
  for (const auto& [id, asset] : state.guide_assets) {
    if (is_given_up(asset, context.now)) events.emplace_back(GuideAssetDeleted{state.id, id});
  }
  if (state.guide_assets.size() - events.size() >= kMaxGuideAssets) {
    constexpr auto kLimit = static_cast<std::int64_t>(kMaxGuideAssets);
    return conflict("GUIDE_ASSET_LIMIT",
                    "A project's guide has at most " + std::to_string(kLimit) +
                        " images, unfinished uploads of the last day included.",
                    {{"limit", kLimit}});
  }
  events.emplace_back(GuideAssetUploadStarted{state.id, next_id, trimmed(command.file_name),
                                              lower_ascii(command.content_type), command.size});
  return events;
}

Result<Events> decide(const ProjectState& state, const CompleteGuideAsset& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  const auto found = state.guide_assets.find(command.asset_id);
  if (found == state.guide_assets.end()) return not_found("guide asset");
  if (found->second.status == GuideAssetStatus::ready) return Events{};  // idempotent
  BOOST_OUTCOME_TRY(check_stored(found->second, command));
  return Events{GuideAssetReady{state.id, command.asset_id, command.stored_md5}};
}

Result<Events> decide(const ProjectState& state, const DeleteGuideAsset& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  if (!state.guide_assets.contains(command.asset_id)) return not_found("guide asset");
  return Events{GuideAssetDeleted{state.id, command.asset_id}};
}

}  // namespace annolog
