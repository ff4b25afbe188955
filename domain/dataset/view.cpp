#include "domain/dataset/state.hpp"

namespace annolog {

DatasetView to_view(const DatasetState& dataset) {
  return {.id = dataset.id,
          .name = dataset.name,
          .description = dataset.description,
          .data_type = dataset.data_type,
          .items_count = dataset.item_count,
          .total_size = dataset.total_size,
          .linked_project_count = static_cast<std::int64_t>(dataset.links.size()),
          .creator_id = dataset.creator_id,
          .version = dataset.version,
          .created_at = dataset.created_at,
          .updated_at = dataset.updated_at};
}

ItemView to_view(const ItemState& item) {
  return {.id = item.id,
          .dataset_id = item.dataset_id,
          .status = item.status,
          .file_name = item.file_name,
          .file_path = item.file_path,
          .file_type = item.file_type,
          .file_size = item.file_size,
          .content_hash = item.content_hash,
          .width = item.width,
          .height = item.height,
          .metadata = item.metadata,
          .thumbnail_path = item.thumbnail_path,
          .thumbnail_error = item.thumbnail_error,
          .created_at = item.created_at,
          .updated_at = item.updated_at,
          .file_url = std::nullopt,
          .thumbnail_url = std::nullopt};
}

}  // namespace annolog
