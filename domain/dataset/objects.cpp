#include "domain/dataset/objects.hpp"

namespace annolog {

std::string objects_of(DatasetId dataset) { return "datasets/" + std::to_string(dataset.value); }

std::string objects_of(DatasetId dataset, ItemId item) {
  return objects_of(dataset) + "/" + std::to_string(item.value);
}

bool is_upload_of(DatasetId dataset, ItemId item, const std::string& file_path) {
  return file_path.starts_with(objects_of(dataset, item) + "/");
}

std::string object_key_of(DatasetId dataset, ItemId item, const std::string& file_name) {
  return objects_of(dataset, item) + "/" + file_name;
}

std::string thumbnail_key_of(DatasetId dataset, ItemId item) {
  return objects_of(dataset) + "/thumbnails/" + std::to_string(item.value) + ".webp";
}

}  // namespace annolog
