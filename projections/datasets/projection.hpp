// The rows that a batch of events makes of datasets, items and links. An item that becomes ready
// in the batch that made it is written once; counters are one write a dataset.
// One thread; see engine/row_batch.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/dataset/events.hpp"
#include "domain/dataset/view.hpp"
#include "domain/identity/context.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class DatasetRows {
 public:
  void apply(const DatasetCreated& event, const Happened& how);
  void apply(const ItemUploadStarted& event, const Happened& how);
  void apply(const ItemReady& event, const Happened& how);
  void apply(const ItemsRegistered& event, const Happened& how);
  void apply(const DatasetLinked& event, const Happened& how);
  void apply(const DatasetUnlinked& event, const Happened& how);
  void apply(const DatasetUpdated& event, const Happened& how);
  void apply(const DatasetDeleted& event, const Happened& how);
  void apply(const ItemDeleted& event, const Happened& how);
  void apply(const ItemsRemoved& event, const Happened& how);
  void apply(const ItemMeasured& event, const Happened& how);
  void apply(const ItemThumbnailMade& event, const Happened& how);
  void apply(const ItemThumbnailFailed& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  struct Growth {
    std::int64_t items = 0;
    std::int64_t bytes = 0;
  };
  struct ReadyItem {
    ItemReady event;
    Timestamp at;
  };
  struct MeasuredItem {
    ItemMeasured event;
    Timestamp at;
  };
  struct Thumbnail {
    ItemId item_id;
    std::optional<std::string> path;
    std::optional<std::string> error;
  };
  void take_items(StatementQueue& out);
  void find_images(StatementQueue& out);
  void take_item_changes(StatementQueue& out);

  StatementQueue created_;
  StatementQueue changes_;  // of datasets, in their order
  std::map<DatasetId, Growth> growth_;
  std::vector<ItemView> new_items_;
  std::unordered_map<ItemId, std::size_t> new_item_index_;
  std::vector<ReadyItem> ready_items_;
  std::vector<MeasuredItem> measured_items_;
  std::vector<Thumbnail> thumbnails_;
  std::vector<ItemId> removed_items_;
};

}  // namespace annolog::projections
