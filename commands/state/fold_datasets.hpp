// What events about datasets and their items do to a shard's state, and to the indexes of items.
#pragma once

#include "commands/state/shard_state.hpp"
#include "domain/events.hpp"

namespace annolog::commands {

class FoldDatasets {
 public:
  FoldDatasets(ShardState& state, const Happened& how) : state_(state), how_(how) {}

  void operator()(const DatasetCreated& e);
  void operator()(const DatasetLinked& e);
  void operator()(const DatasetUnlinked& e);
  void operator()(const DatasetLinkAdvanced& e);
  void operator()(const ItemUploadStarted& e);
  void operator()(const ItemReady& e);
  void operator()(const ItemsRegistered& e);
  void operator()(const DatasetUpdated& e);
  void operator()(const DatasetDeleted& e);
  void operator()(const DatasetEmptied& e);
  void operator()(const ItemDeleted& e);
  void operator()(const ItemsRemoved& e);
  void operator()(const ItemMeasured& e);
  void operator()(const DatasetSizesPassedOn& e);
  void operator()(const DatasetBackfillStarted& e);
  void operator()(const DatasetBackfillAdvanced& e);
  void operator()(const DatasetBackfillEnded& e);
  void operator()(const ItemThumbnailMade& e);
  void operator()(const ItemThumbnailFailed& e);

 private:
  template <class E>
  void of_dataset(const E& e);
  template <class E>
  void of_backfill(const E& e);
  template <class E>
  ItemState of_item(const E& e);
  void forget_indexes(const ItemState& item);
  void make_ready(const ItemState& item);

  ShardState& state_;
  const Happened& how_;
};

}  // namespace annolog::commands
