// Facts about the images of a project's guide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"

namespace annolog {

// An upload was announced; the image is pending until its bytes are there and checked.
struct GuideAssetUploadStarted {
  static constexpr std::string_view kType = "guide_asset.upload_started";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  GuideAssetId asset_id;
  std::string file_name;
  std::string content_type;
  std::int64_t size = 0;  // bytes
  bool operator==(const GuideAssetUploadStarted&) const = default;
};
BOOST_DESCRIBE_STRUCT(GuideAssetUploadStarted, (),
                      (project_id, asset_id, file_name, content_type, size))

struct GuideAssetReady {
  static constexpr std::string_view kType = "guide_asset.ready";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  GuideAssetId asset_id;
  std::string content_hash;  // md5, lower-case hex
  bool operator==(const GuideAssetReady&) const = default;
};
BOOST_DESCRIBE_STRUCT(GuideAssetReady, (), (project_id, asset_id, content_hash))

struct GuideAssetDeleted {
  static constexpr std::string_view kType = "guide_asset.deleted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  GuideAssetId asset_id;
  bool operator==(const GuideAssetDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(GuideAssetDeleted, (), (project_id, asset_id))

}  // namespace annolog
