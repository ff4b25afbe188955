// Datasets, items and links.
#include <algorithm>

#include "commands/handlers/handlers.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::commands {
namespace {

class StateItemIndex final : public ItemIndex {
 public:
  StateItemIndex(ShardState& state, DatasetId dataset)
      : state_(state), dataset_(dataset), sequence_(state.counter("item")) {}

  std::optional<ItemId> by_hash(const std::string& md5) override {
    return found(Key(Table::item_of_hash).id(dataset_).text(md5));
  }
  std::optional<ItemId> by_path(const std::string& path) override {
    return found(Key(Table::item_of_path).id(dataset_).text(path));
  }
  ItemId next_id() override { return ItemId{state_.id_of(++sequence_)}; }

 private:
  std::optional<ItemId> found(const Key& key) {
    if (const auto id = state_.number(key)) return ItemId{*id};
    return std::nullopt;
  }

  ShardState& state_;
  DatasetId dataset_;
  std::int64_t sequence_;
};

template <class C>
Result<Handled> decide_dataset(const Handling& on, const C& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id), command, on.context));
  return Handled{std::move(events), {ReplyKind::dataset, {command.dataset_id.value}, {}}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const CreateDataset& command) {
  return decide_dataset(on, command);
}

Result<Handled> handle(const Handling& on, const StartUpload& command) {
  StateItemIndex index(on.state, command.dataset_id);
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.dataset(command.dataset_id), command, on.context, index));
  const auto& started = std::get<ItemUploadStarted>(events.front());
  return Handled{std::move(events), {ReplyKind::item, {started.item_id.value}, {}}};
}

Result<Handled> handle(const Handling& on, const CompleteUpload& command) {
  StateItemIndex index(on.state, command.dataset_id);
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.dataset(command.dataset_id), on.state.item(command.item_id),
                           command, on.context, index));
  return Handled{std::move(events), {ReplyKind::item, {command.item_id.value}, {}}};
}

Result<Handled> handle(const Handling& on, const RegisterItems& command) {
  StateItemIndex index(on.state, command.dataset_id);
  BOOST_OUTCOME_TRY(auto decision,
                    decide(on.state.dataset(command.dataset_id), command, on.context, index));
  ItemsRegisteredReply reply{0, std::move(decision.duplicates)};
  for (const auto& event : decision.events) {
    reply.created += static_cast<std::int64_t>(std::get<ItemsRegistered>(event).items.size());
  }
  return Handled{std::move(decision.events),
                 {ReplyKind::items_registered, {}, codec::to_json_text(reply)}};
}

Result<Handled> handle(const Handling& on, const ReadItem& command) {
  const ItemState item = on.state.item(command.item_id);
  const bool there =
      item.is_in(command.dataset_id) && on.state.dataset(command.dataset_id).exists();
  if (!there) return not_found("item");
  return Handled{{}, {}, Reply{to_view(item)}};
}

// The tasks are made afterwards, one for each item there is now: what a retry is told again. A link
// that is there already has made them.
Result<Handled> handle(const Handling& on, const LinkDataset& command) {
  const DatasetState dataset = on.state.dataset(command.dataset_id);
  BOOST_OUTCOME_TRY(auto events, decide(dataset, command, on.context));
  const bool is_new = !events.empty();
  const std::int64_t items = dataset.item_count;
  return Handled{std::move(events),
                 {ReplyKind::tasks_made, {is_new ? items : 0, is_new ? 0 : items}, {}}};
}

Result<Handled> handle(const Handling& on, const AdvanceLink& command) {
  return decide_dataset(on, command);
}

Result<Handled> handle(const Handling& on, const ReadLinkWindow& command) {
  const DatasetState dataset = on.state.dataset(command.dataset_id);
  LinkWindow window;
  const auto link = dataset.links.find(command.project_id);
  if (link != dataset.links.end()) {
    window.link = link->second.number;
    const std::int64_t after = std::max(link->second.done_number, command.after);
    const auto ready = on.state.ready_items(dataset.id, after, command.kItemsMax);
    // Behind the last one there may be numbers of items that are gone.
    const bool all = ready.items.size() < command.kItemsMax;
    window.last_number = all ? std::max(after, dataset.ready_count) : ready.last_number;
    for (ItemState& item : on.state.items(ready.items)) {
      window.items.push_back(
          {item.id, std::move(item.file_name), std::move(item.file_path), item.width, item.height});
    }
  }
  return Handled{{}, {}, Reply{std::move(window)}};
}

Result<Handled> handle(const Handling& on, const ReadLink& command) {
  const DatasetState dataset = on.state.dataset(command.dataset_id);
  const auto found = dataset.links.find(command.project_id);
  if (found == dataset.links.end()) return not_found("link");
  return Handled{
      {},
      {},
      Reply{LinkProgress{dataset.ready_count, found->second.done_number, found->second.number}}};
}

Result<Handled> handle(const Handling& on, const DropLink& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id), command));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const ForgetLinks& command) {
  std::vector<DatasetId> datasets;
  Remains remains;
  on.state.store().scan(Key(Table::link_of_project).id(command.project_id).bytes(), {},
                        [&](std::string_view key, std::string_view) {
                          remains.any = datasets.size() == command.kLinksMax;
                          if (!remains.any) datasets.emplace_back(last_number(key));
                          return !remains.any;
                        });
  Events events;
  for (const DatasetId id : datasets) {
    BOOST_OUTCOME_TRY(auto forgotten,
                      decide(on.state.dataset(id), ForgetLink{id, command.project_id}));
    events.insert(events.end(), forgotten.begin(), forgotten.end());
  }
  return Handled{std::move(events), {}, Reply{remains}};
}

}  // namespace annolog::commands
