// The images of a project's guide: what is kept of them and how they are shown (decisions,
// section 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

inline constexpr std::size_t kMaxGuideAssets = 200;  // of a project, pending ones included
inline constexpr std::int64_t kMaxGuideAssetBytes = std::int64_t{10} << 20;  // 10 MiB
inline constexpr std::size_t kMaxGuideFileNameLength = 255;
// A pending image older than this is given up when the next upload begins.
inline constexpr std::int64_t kGuideUploadMs = 24LL * 60 * 60 * 1000;

enum class GuideAssetStatus : std::uint8_t { pending, ready };
BOOST_DESCRIBE_ENUM(GuideAssetStatus, pending, ready)

struct GuideAsset {
  std::string file_name;     // for people; no part of the object's key
  std::string content_type;  // one of kGuideTypes
  std::int64_t size = 0;     // bytes
  GuideAssetStatus status = GuideAssetStatus::pending;
  Timestamp created_at;
  bool operator==(const GuideAsset&) const = default;
};
BOOST_DESCRIBE_STRUCT(GuideAsset, (), (file_name, content_type, size, status, created_at))

struct GuideAssetView {
  GuideAssetId asset_id;
  std::string file_name;
  std::string content_type;
  std::int64_t size = 0;
  Timestamp created_at;
  bool operator==(const GuideAssetView&) const = default;
};
BOOST_DESCRIBE_STRUCT(GuideAssetView, (), (asset_id, file_name, content_type, size, created_at))

GuideAssetView to_view(GuideAssetId id, const GuideAsset& asset);

bool is_guide_type(std::string_view content_type);

// Key of the image's bytes in the object store. It ends with the type's own extension, by which
// the store tells browsers what it gives them.
std::string guide_asset_key(ProjectId project, GuideAssetId asset, std::string_view content_type);

}  // namespace annolog
