// Facts about a dataset, its items and its links to projects; they live in the dataset's shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

enum class DataType : std::uint8_t { image, video, point_cloud, multimodal, other };
BOOST_DESCRIBE_ENUM(DataType, image, video, point_cloud, multimodal, other)

struct DatasetCreated {
  static constexpr std::string_view kType = "dataset.created";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
  UserId creator_id;
  bool operator==(const DatasetCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetCreated, (), (dataset_id, name, description, data_type, creator_id))

// An upload was announced; the item is pending until its bytes are there and checked.
struct ItemUploadStarted {
  static constexpr std::string_view kType = "item.upload_started";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::string file_name;  // as the client named it; may hold folders
  std::string file_path;  // key in the object store
  std::string content_type;
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;  // md5, lower-case hex
  bool operator==(const ItemUploadStarted&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemUploadStarted, (),
                      (dataset_id, item_id, file_name, file_path, content_type, file_size,
                       content_hash))

// `ready_number` counts the ready items of a dataset from 1: links walk along it.
struct ItemReady {
  static constexpr std::string_view kType = "item.ready";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::int64_t ready_number = 0;
  std::int64_t file_size = 0;
  std::string content_hash;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  bool operator==(const ItemReady&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemReady, (),
                      (dataset_id, item_id, ready_number, file_size, content_hash, width, height))

struct RegisteredItem {
  ItemId item_id;
  std::int64_t ready_number = 0;
  std::string file_name;
  std::string file_path;
  std::string file_type;
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  JsonText metadata;
  bool operator==(const RegisteredItem&) const = default;
};
BOOST_DESCRIBE_STRUCT(RegisteredItem, (),
                      (item_id, ready_number, file_name, file_path, file_type, file_size,
                       content_hash, width, height, metadata))

// Items that already lay in the object store, at most kMaxItemsPerEvent in one record.
struct ItemsRegistered {
  static constexpr std::string_view kType = "items.registered";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::vector<RegisteredItem> items;
  bool operator==(const ItemsRegistered&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemsRegistered, (), (dataset_id, items))

inline constexpr std::size_t kMaxItemsPerEvent = 1000;

struct DatasetLinked {
  static constexpr std::string_view kType = "dataset.linked";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ProjectId project_id;
  bool operator==(const DatasetLinked&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetLinked, (), (dataset_id, project_id))

// Items up to `ready_number` have become tasks of the project.
struct DatasetLinkAdvanced {
  static constexpr std::string_view kType = "dataset.link_advanced";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ProjectId project_id;
  std::int64_t ready_number = 0;
  bool operator==(const DatasetLinkAdvanced&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetLinkAdvanced, (), (dataset_id, project_id, ready_number))

struct DatasetUnlinked {
  static constexpr std::string_view kType = "dataset.unlinked";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ProjectId project_id;
  bool operator==(const DatasetUnlinked&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetUnlinked, (), (dataset_id, project_id))

}  // namespace annolog
