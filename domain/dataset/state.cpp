#include "domain/dataset/state.hpp"

#include "domain/support/patch.hpp"

namespace annolog {

ItemState born(const ItemUploadStarted& event, const Happened& how) {
  ItemState item;
  item.id = event.item_id;
  item.dataset_id = event.dataset_id;
  item.file_name = event.file_name;
  item.file_path = event.file_path;
  item.file_type = event.content_type;
  item.file_size = event.file_size;
  item.content_hash = event.content_hash;
  item.created_at = how.at;
  item.updated_at = how.at;
  return item;
}

ItemState born(const ItemsRegistered& event, const RegisteredItem& item, const Happened& how) {
  ItemState state;
  state.id = item.item_id;
  state.dataset_id = event.dataset_id;
  state.status = ItemStatus::ready;
  state.ready_number = item.ready_number;
  state.file_name = item.file_name;
  state.file_path = item.file_path;
  state.file_type = item.file_type;
  state.file_size = item.file_size;
  state.content_hash = item.content_hash;
  state.width = item.width;
  state.height = item.height;
  state.metadata = item.metadata;
  state.created_at = how.at;
  state.updated_at = how.at;
  return state;
}

void evolve(DatasetState& state, const DatasetCreated& event, const Happened& how) {
  state = {};
  state.id = event.dataset_id;
  state.name = event.name;
  state.description = event.description;
  state.data_type = event.data_type;
  state.creator_id = event.creator_id;
  state.version = 1;
  state.created_at = how.at;
  state.updated_at = how.at;
}

void evolve(DatasetState& state, const ItemReady& event, const Happened&) {
  state.ready_count = event.ready_number;
  ++state.item_count;
  state.total_size += event.file_size;
}

void evolve(DatasetState& state, const ItemsRegistered& event, const Happened&) {
  for (const auto& item : event.items) {
    state.ready_count = item.ready_number;
    ++state.item_count;
    state.total_size += item.file_size;
  }
}

void evolve(DatasetState& state, const DatasetLinked& event, const Happened& how) {
  touch(state, how);
  state.links[event.project_id] = {0, state.version, how.at};
}

void evolve(DatasetState& state, const DatasetLinkAdvanced& event, const Happened&) {
  state.links[event.project_id].done_number = event.ready_number;
}

void evolve(DatasetState& state, const DatasetUnlinked& event, const Happened& how) {
  touch(state, how);
  state.links.erase(event.project_id);
}

void evolve(DatasetState& state, const DatasetUpdated& event, const Happened& how) {
  touch(state, how);
  set_if(state.name, event.name);
  set_if(state.description, event.description);
}

void evolve(DatasetState& state, const DatasetDeleted&, const Happened& how) {
  ++state.version;
  state.deleted_at = how.at;
}

void evolve(DatasetState& state, const DatasetEmptied&, const Happened&) { state.emptied = true; }

void evolve(DatasetState& state, const ItemDeleted& event, const Happened&) {
  if (event.ready_number == 0) return;
  --state.item_count;
  state.total_size -= event.file_size;
}

void evolve(ItemState& state, const ItemDeleted&, const Happened& how) {
  state.deleted_at = how.at;
}

void evolve(ItemState& state, const ItemMeasured& event, const Happened& how) {
  state.width = event.width;
  state.height = event.height;
  state.updated_at = how.at;
}

void evolve(ItemState& state, const ItemThumbnailMade& event, const Happened&) {
  state.thumbnail_path = event.thumbnail_path;
  state.thumbnail_error.reset();
}

void evolve(ItemState& state, const ItemThumbnailFailed& event, const Happened&) {
  state.thumbnail_error = event.reason;
}

void evolve(ItemState& state, const ItemReady& event, const Happened& how) {
  state.status = ItemStatus::ready;
  state.ready_number = event.ready_number;
  state.file_size = event.file_size;
  state.content_hash = event.content_hash;
  state.width = event.width;
  state.height = event.height;
  state.updated_at = how.at;
}

}  // namespace annolog
