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
  Timestamp linked_at;
  bool operator==(const Link&) const = default;
};
BOOST_DESCRIBE_STRUCT(Link, (), (done_number, linked_at))

struct DatasetState {
  DatasetId id;
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
  UserId creator_id;
  std::int64_t ready_count = 0;  // the last ready_number given
  std::int64_t total_size = 0;
  std::map<ProjectId, Link> links;
  std::int64_t version = 0;  // 0: does not exist
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const DatasetState&) const = default;
};
BOOST_DESCRIBE_STRUCT(DatasetState, (),
                      (id, name, description, data_type, creator_id, ready_count, total_size, links,
                       version, created_at, updated_at))

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
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const ItemState&) const = default;
};
BOOST_DESCRIBE_STRUCT(ItemState, (),
                      (id, dataset_id, status, ready_number, file_name, file_path, file_type,
                       file_size, content_hash, width, height, metadata, created_at, updated_at))

ItemState born(const ItemUploadStarted& event, const Happened& how);
ItemState born(const ItemsRegistered& event, const RegisteredItem& item, const Happened& how);

void evolve(DatasetState& state, const DatasetCreated& event, const Happened& how);
void evolve(DatasetState& state, const ItemReady& event, const Happened& how);
void evolve(DatasetState& state, const ItemsRegistered& event, const Happened& how);
void evolve(DatasetState& state, const DatasetLinked& event, const Happened& how);
void evolve(DatasetState& state, const DatasetLinkAdvanced& event, const Happened& how);
void evolve(DatasetState& state, const DatasetUnlinked& event, const Happened& how);
void evolve(ItemState& state, const ItemReady& event, const Happened& how);

DatasetView to_view(const DatasetState& dataset);
ItemView to_view(const ItemState& item);

}  // namespace annolog
