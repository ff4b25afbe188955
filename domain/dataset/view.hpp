// How datasets and their items are shown (spec, "Dataset and data item").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/dataset/events.hpp"

namespace annolog {

struct DatasetView {
  DatasetId id;
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
  std::int64_t items_count = 0;  // ready items
  std::int64_t total_size = 0;   // bytes of the ready items
  std::int64_t linked_project_count = 0;
  UserId creator_id;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const DatasetView&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetView, (),
                      (id, name, description, data_type, items_count, total_size,
                       linked_project_count, creator_id, version, created_at, updated_at))

enum class ItemStatus : std::uint8_t { pending, ready };
BOOST_DESCRIBE_ENUM(ItemStatus, pending, ready)

struct ItemView {
  ItemId id;
  DatasetId dataset_id;
  ItemStatus status = ItemStatus::pending;
  std::string file_name;
  std::string file_path;
  std::string file_type;  // media type
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  JsonText metadata{"{}"};
  std::optional<std::string> thumbnail_path;
  std::optional<std::string> thumbnail_error;  // why there is none
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<std::string> file_url;       // signed, of single items; filled by the edge
  std::optional<std::string> thumbnail_url;  // likewise
  bool operator==(const ItemView&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemView, (),
                      (id, dataset_id, status, file_name, file_path, file_type, file_size,
                       content_hash, width, height, metadata, thumbnail_path, thumbnail_error,
                       created_at, updated_at, file_url, thumbnail_url))

}  // namespace annolog
