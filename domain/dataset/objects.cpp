#include "domain/dataset/objects.hpp"

#include <cstdint>

#include "domain/support/number.hpp"

namespace annolog {
namespace {

// Takes an id and the slash behind it off the front.
std::optional<std::int64_t> take_id(std::string_view& key) {
  const auto id = take_number<std::int64_t>(key);
  if (!id || !key.starts_with('/')) return std::nullopt;
  key.remove_prefix(1);
  return id;
}

}  // namespace

std::string objects_of(DatasetId dataset) { return "datasets/" + std::to_string(dataset.value); }

std::string objects_of(DatasetId dataset, ItemId item) {
  return objects_of(dataset) + "/" + std::to_string(item.value);
}

bool is_upload_of(DatasetId dataset, ItemId item, const std::string& file_path) {
  return file_path.starts_with(objects_of(dataset, item) + "/");
}

std::optional<UploadOwner> owner_of_upload(std::string_view key) {
  constexpr std::string_view kFolder = "datasets/";
  if (!key.starts_with(kFolder)) return std::nullopt;
  key.remove_prefix(kFolder.size());
  const auto dataset = take_id(key);
  if (!dataset) return std::nullopt;
  const auto item = take_id(key);
  if (!item) return std::nullopt;
  return UploadOwner{DatasetId{*dataset}, ItemId{*item}};
}

std::string object_key_of(DatasetId dataset, ItemId item, const std::string& file_name) {
  return objects_of(dataset, item) + "/" + file_name;
}

std::string thumbnail_key_of(DatasetId dataset, ItemId item) {
  return objects_of(dataset) + "/thumbnails/" + std::to_string(item.value) + ".webp";
}

}  // namespace annolog
