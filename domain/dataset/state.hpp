// What decisions about a dataset and its items need, and their folds. Kept in the dataset's shard.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/dataset/events.hpp"
#include "domain/dataset/view.hpp"
#include "domain/identity/context.hpp"

namespace annolog {

struct Link {
  std::int64_t done_number = 0;  // items up to this ready_number are tasks
  std::int64_t number = 0;       // the dataset's version as it was made: tells it from others
  Timestamp linked_at;
  bool operator==(const Link&) const = default;
};
BOOST_DESCRIBE_STRUCT(Link, (), (done_number, number, linked_at))

struct DatasetState {
  DatasetId id;
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
  UserId creator_id;
  std::int64_t ready_count = 0;  // the last ready_number given
  std::int64_t item_count = 0;   // ready items there are
  std::int64_t total_size = 0;
  std::map<ProjectId, Link> links;
  std::int64_t version = 0;  // 0: never was
  Timestamp created_at;
  Timestamp updated_at;
  // A deleted one is remembered: a creation that is finished late must not bring it back.
  std::optional<Timestamp> deleted_at;
  bool emptied = false;
  bool operator==(const DatasetState&) const = default;

  bool exists() const { return version != 0 && !deleted_at; }
};
BOOST_DESCRIBE_STRUCT(DatasetState, (),
                      (id, name, description, data_type, creator_id, ready_count, item_count,
                       total_size, links, version, created_at, updated_at, deleted_at, emptied))

struct ItemState {
  ItemId id;
  DatasetId dataset_id;
  ItemStatus status = ItemStatus::pending;
  std::int64_t ready_number = 0;
  std::string file_name;
  std::string file_path;
  std::string file_type;
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  JsonText metadata{"{}"};
  std::optional<std::string> thumbnail_path;
  std::optional<std::string> thumbnail_error;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> deleted_at;
  bool operator==(const ItemState&) const = default;

  bool is_in(DatasetId dataset) const { return id && dataset_id == dataset && !deleted_at; }
  bool is_measured() const { return width && height; }
};
BOOST_DESCRIBE_STRUCT(ItemState, (),
                      (id, dataset_id, status, ready_number, file_name, file_path, file_type,
                       file_size, content_hash, width, height, metadata, thumbnail_path,
                       thumbnail_error, created_at, updated_at, deleted_at))

ItemState born(const ItemUploadStarted& event, const Happened& how);
ItemState born(const ItemsRegistered& event, const RegisteredItem& item, const Happened& how);

void evolve(DatasetState& state, const DatasetCreated& event, const Happened& how);
void evolve(DatasetState& state, const ItemReady& event, const Happened& how);
void evolve(DatasetState& state, const ItemsRegistered& event, const Happened& how);
void evolve(DatasetState& state, const DatasetLinked& event, const Happened& how);
void evolve(DatasetState& state, const DatasetLinkAdvanced& event, const Happened& how);
void evolve(DatasetState& state, const DatasetUnlinked& event, const Happened& how);
void evolve(DatasetState& state, const DatasetUpdated& event, const Happened& how);
void evolve(DatasetState& state, const DatasetDeleted& event, const Happened& how);
void evolve(DatasetState& state, const DatasetEmptied& event, const Happened& how);
void evolve(DatasetState& state, const ItemDeleted& event, const Happened& how);
void evolve(ItemState& state, const ItemReady& event, const Happened& how);
void evolve(ItemState& state, const ItemDeleted& event, const Happened& how);
void evolve(ItemState& state, const ItemMeasured& event, const Happened& how);
void evolve(ItemState& state, const ItemThumbnailMade& event, const Happened& how);
void evolve(ItemState& state, const ItemThumbnailFailed& event, const Happened& how);

DatasetView to_view(const DatasetState& dataset);
ItemView to_view(const ItemState& item);

}  // namespace annolog
