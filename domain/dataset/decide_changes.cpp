// Changes of datasets and items that are there: names, removal, sizes, thumbnails.
#include "domain/dataset/backfill.hpp"
#include "domain/dataset/commands.hpp"
#include "domain/dataset/ownership.hpp"
#include "domain/support/length.hpp"
#include "domain/support/patch.hpp"

namespace annolog {
namespace {

// Not which: the caller may not be allowed to see them all.
std::int64_t linked_projects(const DatasetState& state) {
  return static_cast<std::int64_t>(state.links.size());
}

// A thumbnail is made of a ready item once; whoever comes late records nothing.
Result<bool> wants_thumbnail(const DatasetState& state, const ItemState& item,
                             const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  if (!item.is_in(state.id) || item.status != ItemStatus::ready) return not_found("item");
  return !item.thumbnail_path && !item.thumbnail_error;
}

}  // namespace

Result<void> check_dataset_texts(const std::optional<std::string>& name,
                                 const std::optional<std::string>& description) {
  std::vector<FieldError> errors;
  if (name) check_length(trimmed(*name), 1, 200, "name", errors);
  if (description) check_length(*description, 0, 10'000, "description", errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<void> check(const UpdateDataset& command) {
  return check_dataset_texts(command.name, command.description);
}

Result<Events> decide(const DatasetState& state, const UpdateDataset& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  if (!matches(command.expected_version, state.version)) return version_mismatch(state.version);
  BOOST_OUTCOME_TRY(check(command));
  std::optional<std::string> name;
  if (command.name) name = trimmed(*command.name);
  DatasetUpdated updated{state.id, if_changed(name, state.name),
                         if_changed(command.description, state.description)};
  if (!updated.name && !updated.description) return Events{};
  return Events{std::move(updated)};
}

Result<Events> decide(const DatasetState& state, const DeleteDataset& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  if (!matches(command.expected_version, state.version)) return version_mismatch(state.version);
  if (!state.links.empty()) {
    return conflict("DATASET_LINKED", "Projects are linked to the dataset.",
                    {{"linked_projects", linked_projects(state)}});
  }
  return Events{DatasetDeleted{state.id}};
}

Result<Events> decide(const DatasetState& state, const ItemState& item, const DeleteItem&,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  if (!item.is_in(state.id)) return not_found("item");
  const bool ready = item.status == ItemStatus::ready;
  if (ready && !state.links.empty()) {
    return conflict("ITEM_IN_USE", "The item is a task of projects linked to the dataset.",
                    {{"linked_projects", linked_projects(state)}});
  }
  return Events{ItemDeleted{state.id, item.id, ready ? item.ready_number : 0, item.file_size}};
}

Result<Events> decide(const DatasetState& state, const RemoveItems& command, ItemLookup& items) {
  ItemsRemoved removed{state.id, {}};
  for (const ItemId id : command.item_ids) {
    const ItemState item = items.find(id);
    const bool doomed = item.id && item.dataset_id == state.id &&
                        (state.deleted_at.has_value() || item.deleted_at.has_value());
    if (doomed) removed.item_ids.push_back(id);
  }
  if (removed.item_ids.empty()) return Events{};
  return Events{std::move(removed)};
}

Result<Events> decide(const DatasetState& state, const EmptyDataset&, const Context&) {
  if (!state.deleted_at || state.emptied) return Events{};
  return Events{DatasetEmptied{state.id}};
}

Result<Events> decide(const DatasetState& state, const MeasureItems& command,
                      const Context& context, ItemLookup& items) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  return measured(state, command.sizes, items);
}

Result<Events> decide(const DatasetState& state, const NoteSizesPassedOn& command, const Context&) {
  if (state.version == 0 || command.item_ids.empty()) return Events{};
  return Events{DatasetSizesPassedOn{state.id, command.project_id, command.item_ids}};
}

Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const RecordThumbnail& command, const Context& context) {
  BOOST_OUTCOME_TRY(const bool wanted, wants_thumbnail(state, item, context));
  if (!wanted) return Events{};
  return Events{ItemThumbnailMade{state.id, item.id, command.thumbnail_path}};
}

Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const RecordThumbnailFailure& command, const Context& context) {
  BOOST_OUTCOME_TRY(const bool wanted, wants_thumbnail(state, item, context));
  if (!wanted) return Events{};
  return Events{ItemThumbnailFailed{state.id, item.id, command.reason}};
}

}  // namespace annolog
