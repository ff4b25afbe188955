#include "commands/state/fold_datasets.hpp"

#include "domain/dataset/objects.hpp"

namespace annolog::commands {
namespace {

Key path_key(const ItemState& item) {
  return Key(Table::item_of_path).id(item.dataset_id).text(item.file_path);
}

template <class E>
Key link_key(const E& e) {
  return Key(Table::link_of_project).id(e.project_id).id(e.dataset_id);
}

}  // namespace

template <class E>
void FoldDatasets::of_dataset(const E& e) {
  DatasetState dataset = state_.dataset(e.dataset_id);
  evolve(dataset, e, how_);
  state_.save(dataset);
}

template <class E>
void FoldDatasets::of_backfill(const E& e) {
  BackfillState job = state_.backfill(e.dataset_id);
  evolve(job, e, how_);
  state_.put(Key(Table::backfill).id(e.dataset_id), job);
}

template <class E>
ItemState FoldDatasets::of_item(const E& e) {
  ItemState item = state_.item(e.item_id);
  evolve(item, e, how_);
  state_.save(item);
  return item;
}

// What leads to the item; another one may have its path or its hash by now.
void FoldDatasets::forget_indexes(const ItemState& item) {
  const auto erase_own = [&](const Key& key) {
    if (state_.number(key) == item.id.value) state_.erase(key.bytes());
  };
  erase_own(path_key(item));
  if (item.content_hash)
    erase_own(Key(Table::item_of_hash).id(item.dataset_id).text(*item.content_hash));
  if (item.status == ItemStatus::ready)
    erase_own(Key(Table::ready_item).id(item.dataset_id).number(item.ready_number));
}
void FoldDatasets::make_ready(const ItemState& item) {
  if (item.content_hash) {
    state_.put_number(Key(Table::item_of_hash).id(item.dataset_id).text(*item.content_hash),
                      item.id.value);
  }
  state_.put_number(Key(Table::ready_item).id(item.dataset_id).number(item.ready_number),
                    item.id.value);
}

void FoldDatasets::operator()(const DatasetCreated& e) { of_dataset(e); }
void FoldDatasets::operator()(const DatasetLinked& e) {
  of_dataset(e);
  state_.put_mark(link_key(e).take());
}
void FoldDatasets::operator()(const DatasetUnlinked& e) {
  of_dataset(e);
  state_.erase(link_key(e).bytes());
}
void FoldDatasets::operator()(const DatasetLinkAdvanced& e) { of_dataset(e); }
void FoldDatasets::operator()(const ItemUploadStarted& e) {
  const ItemState item = born(e, how_);
  state_.save(item);
  state_.put_number(Key(Table::item_of_path).id(e.dataset_id).text(item.file_path), item.id.value);
  state_.raise_counter("item", state_.sequence_of(item.id.value));
}
void FoldDatasets::operator()(const ItemReady& e) {
  of_dataset(e);
  ItemState item = state_.item(e.item_id);
  evolve(item, e, how_);
  state_.save(item);
  make_ready(item);
}
void FoldDatasets::operator()(const ItemsRegistered& e) {
  of_dataset(e);
  for (const auto& entry : e.items) {
    const ItemState item = born(e, entry, how_);
    state_.save(item);
    state_.put_number(Key(Table::item_of_path).id(e.dataset_id).text(item.file_path),
                      item.id.value);
    make_ready(item);
  }
  if (!e.items.empty()) {
    state_.raise_counter("item", state_.sequence_of(e.items.back().item_id.value));
  }
}

void FoldDatasets::operator()(const DatasetUpdated& e) { of_dataset(e); }
void FoldDatasets::operator()(const DatasetDeleted& e) {
  of_dataset(e);
  state_.erase(Key(Table::backfill).id(e.dataset_id).bytes());
}
void FoldDatasets::operator()(const DatasetEmptied& e) { of_dataset(e); }
void FoldDatasets::operator()(const ItemDeleted& e) {
  of_dataset(e);
  const ItemState item = of_item(e);
  forget_indexes(item);
  // Its own objects are about to go: until then nobody may register them again.
  if (is_upload_of(e.dataset_id, e.item_id, item.file_path))
    state_.put_number(path_key(item), item.id.value);
  state_.put_mark(Key(Table::doomed_item).id(e.dataset_id).id(e.item_id).take());
}
void FoldDatasets::operator()(const ItemsRemoved& e) {
  for (const ItemId id : e.item_ids) {
    forget_indexes(state_.item(id));
    state_.erase(Key(Table::item).id(id).bytes());
    state_.erase(Key(Table::doomed_item).id(e.dataset_id).id(id).bytes());
  }
}
void FoldDatasets::operator()(const ItemMeasured& e) {
  of_item(e);
  for (const auto& [project, link] : state_.dataset(e.dataset_id).links) {
    state_.put_mark(Key(Table::untold_size).id(e.dataset_id).id(project).id(e.item_id).take());
  }
}
void FoldDatasets::operator()(const DatasetSizesPassedOn& e) {
  for (const ItemId id : e.item_ids) {
    state_.erase(Key(Table::untold_size).id(e.dataset_id).id(e.project_id).id(id).bytes());
  }
}
void FoldDatasets::operator()(const DatasetBackfillStarted& e) { of_backfill(e); }
void FoldDatasets::operator()(const DatasetBackfillAdvanced& e) { of_backfill(e); }
void FoldDatasets::operator()(const DatasetBackfillEnded& e) { of_backfill(e); }
void FoldDatasets::operator()(const ItemThumbnailMade& e) { of_item(e); }
void FoldDatasets::operator()(const ItemThumbnailFailed& e) { of_item(e); }

}  // namespace annolog::commands
