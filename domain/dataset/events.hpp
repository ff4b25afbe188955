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
// Only what changed is there.
struct DatasetUpdated {
  static constexpr std::string_view kType = "dataset.updated";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  bool operator==(const DatasetUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetUpdated, (), (dataset_id, name, description))

// Nobody sees it any more. Its items follow in steps (ItemsRemoved), then it is empty.
struct DatasetDeleted {
  static constexpr std::string_view kType = "dataset.deleted";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  bool operator==(const DatasetDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetDeleted, (), (dataset_id))

// Nothing of a deleted dataset is left: items, objects, name.
struct DatasetEmptied {
  static constexpr std::string_view kType = "dataset.emptied";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  bool operator==(const DatasetEmptied&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetEmptied, (), (dataset_id))

// Nobody sees it any more; its objects go next (ItemsRemoved).
struct ItemDeleted {
  static constexpr std::string_view kType = "item.deleted";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::int64_t ready_number = 0;  // 0: it was pending
  std::int64_t file_size = 0;
  bool operator==(const ItemDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemDeleted, (), (dataset_id, item_id, ready_number, file_size))

// Nothing is left of these deleted items, or items of a deleted dataset; the objects that the
// service kept for them went before. At most kMaxItemsPerEvent in one record.
struct ItemsRemoved {
  static constexpr std::string_view kType = "items.removed";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::vector<ItemId> item_ids;
  bool operator==(const ItemsRemoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemsRemoved, (), (dataset_id, item_ids))

// The size of a ready image item that had none, read from its bytes.
struct ItemMeasured {
  static constexpr std::string_view kType = "item.measured";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const ItemMeasured&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemMeasured, (), (dataset_id, item_id, width, height))

struct MeasureFailure {
  ItemId item_id;
  std::string reason;
  bool operator==(const MeasureFailure&) const = default;
};
BOOST_DESCRIBE_STRUCT(MeasureFailure, (), (item_id, reason))

// Somebody wants the sizes of all images that lack them (docs/decisions/0025).
struct DatasetBackfillStarted {
  static constexpr std::string_view kType = "dataset.backfill_started";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::int64_t number = 0;  // the how manieth of the dataset: tells it from others
  bool operator==(const DatasetBackfillStarted&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetBackfillStarted, (), (dataset_id, number))

// One step: the items up to `reached` were looked at. Their sizes are beside it in the same append.
struct DatasetBackfillAdvanced {
  static constexpr std::string_view kType = "dataset.backfill_advanced";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::int64_t number = 0;
  ItemId reached;
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::vector<MeasureFailure> failed;
  bool operator==(const DatasetBackfillAdvanced&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetBackfillAdvanced, (),
                      (dataset_id, number, reached, processed, updated, failed))

enum class BackfillStatus : std::uint8_t { running, completed, cancelled };
BOOST_DESCRIBE_ENUM(BackfillStatus, running, completed, cancelled)

struct DatasetBackfillEnded {
  static constexpr std::string_view kType = "dataset.backfill_ended";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  std::int64_t number = 0;
  BackfillStatus status = BackfillStatus::completed;  // or cancelled
  bool operator==(const DatasetBackfillEnded&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetBackfillEnded, (), (dataset_id, number, status))

// The project's tasks of these measured items know their sizes.
struct DatasetSizesPassedOn {
  static constexpr std::string_view kType = "dataset.sizes_passed_on";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ProjectId project_id;
  std::vector<ItemId> item_ids;
  bool operator==(const DatasetSizesPassedOn&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetSizesPassedOn, (), (dataset_id, project_id, item_ids))

struct ItemThumbnailMade {
  static constexpr std::string_view kType = "item.thumbnail_made";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::string thumbnail_path;  // key in the object store
  bool operator==(const ItemThumbnailMade&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemThumbnailMade, (), (dataset_id, item_id, thumbnail_path))

struct ItemThumbnailFailed {
  static constexpr std::string_view kType = "item.thumbnail_failed";
  static constexpr int kVersion = 1;
  DatasetId dataset_id;
  ItemId item_id;
  std::string reason;
  bool operator==(const ItemThumbnailFailed&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemThumbnailFailed, (), (dataset_id, item_id, reason))

}  // namespace annolog
