// Datasets and items that are there already: changes, removal, sizes, thumbnails.
#include "commands/handlers/handlers.hpp"
#include "commands/handlers/state_items.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::commands {
namespace {

constexpr int kSizesLookedAt = 10'000;  // keeps a look's cost bounded while a link is under way

template <class C>
Result<Handled> decide_change(const Handling& on, const C& command, ReplyRef reply = {}) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id), command, on.context));
  return Handled{std::move(events), std::move(reply)};
}

template <class C>
Result<Handled> decide_item(const Handling& on, const C& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id),
                                        on.state.item(command.item_id), command, on.context));
  return Handled{std::move(events), {}};
}

// Sizes for the first project that has tasks to take them. Items that a link has not come to yet
// wait: their tasks may be about to be made of what was known before.
void find_untold_sizes(const ShardState& state, const DatasetState& dataset,
                       DatasetChores& chores) {
  int looked_at = 0;
  state.each_untold_size(dataset.id, [&](ProjectId project, ItemId id) {
    if (chores.project_id && *chores.project_id != project) return false;
    const ItemState item = state.item(id);
    const auto link = dataset.links.find(project);
    const bool linked = link != dataset.links.end();
    if (linked && item.id && link->second.done_number < item.ready_number) {
      chores.waiting = true;
      return ++looked_at < kSizesLookedAt;
    }
    chores.project_id = project;
    if (linked && item.is_measured()) chores.sizes.push_back({id, *item.width, *item.height});
    chores.passed_on.push_back(id);
    return chores.passed_on.size() < DatasetChores::kItemsMax;
  });
}

void find_doomed_items(const ShardState& state, const DatasetState& dataset,
                       const std::string& after, DatasetChores& chores) {
  chores.reached = after;
  chores.doomed = state.doomed_items(dataset.id, DatasetChores::kItemsMax);
  if (!chores.deleted || !chores.doomed.empty()) return;
  auto rest = state.items_by_path(dataset.id, after, DatasetChores::kItemsMax);
  chores.doomed = std::move(rest.items);
  chores.reached = std::move(rest.last_path);
}

}  // namespace

Result<Handled> handle(const Handling& on, const UpdateDataset& command) {
  return decide_change(on, command, {ReplyKind::dataset, {command.dataset_id.value}, {}});
}

Result<Handled> handle(const Handling& on, const DeleteDataset& command) {
  return decide_change(on, command);
}

Result<Handled> handle(const Handling& on, const DeleteItem& command) {
  return decide_item(on, command);
}

Result<Handled> handle(const Handling& on, const RemoveItems& command) {
  StateItems items(on.state);
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id), command, items));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const EmptyDataset& command) {
  return decide_change(on, command);
}

Result<Handled> handle(const Handling& on, const MeasureItems& command) {
  StateItems items(on.state);
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.dataset(command.dataset_id), command, on.context, items));
  const auto processed = static_cast<std::int64_t>(command.sizes.size() + command.failed.size());
  const ItemsMeasured reply{processed, static_cast<std::int64_t>(events.size()), command.failed,
                            command.reached};
  return Handled{std::move(events), {ReplyKind::items_measured, {}, codec::to_json_text(reply)}};
}

Result<Handled> handle(const Handling& on, const NoteSizesPassedOn& command) {
  return decide_change(on, command);
}

Result<Handled> handle(const Handling& on, const RecordThumbnail& command) {
  return decide_item(on, command);
}

Result<Handled> handle(const Handling& on, const RecordThumbnailFailure& command) {
  return decide_item(on, command);
}

Result<Handled> handle(const Handling& on, const ReadDatasetChores& command) {
  const DatasetState dataset = on.state.dataset(command.dataset_id);
  DatasetChores chores;
  if (dataset.version != 0) {
    chores.deleted = dataset.deleted_at && !dataset.emptied;
    find_untold_sizes(on.state, dataset, chores);
    find_doomed_items(on.state, dataset, command.after, chores);
  }
  return Handled{{}, {}, Reply{std::move(chores)}};
}

}  // namespace annolog::commands
