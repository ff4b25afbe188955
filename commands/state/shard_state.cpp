#include "commands/state/shard_state.hpp"

#include <algorithm>

#include "commands/state/near_rows.hpp"

namespace annolog::commands {
namespace {

constexpr std::size_t kMaxCachedProjects = 4096;
}  // namespace

std::shared_ptr<const ProjectState> ShardState::project(ProjectId id) {
  if (const auto found = cache_.projects.find(id.value); found != cache_.projects.end()) {
    return found->second;
  }
  auto loaded =
      std::make_shared<const ProjectState>(load<ProjectState>(Key(Table::project).id(id)));
  if (loaded->version != 0) {
    if (cache_.projects.size() >= kMaxCachedProjects) cache_.projects.clear();
    cache_.projects.emplace(id.value, loaded);
  }
  return loaded;
}

void ShardState::save(const ProjectState& project) {
  put(Key(Table::project).id(project.id), project);
  cache_.projects.erase(project.id.value);
}

void ShardState::save(const AnnotationState& annotation) {
  put(Key(Table::annotation).id(annotation.task_id).id(annotation.id), annotation);
}

void ShardState::save(const CommentState& comment) {
  put(Key(Table::comment).id(comment.task_id).id(comment.id), comment);
}

void ShardState::save(const DatasetState& dataset) {
  put(Key(Table::dataset).id(dataset.id), dataset);
}

void ShardState::save(const ItemState& item) { put(Key(Table::item).id(item.id), item); }

void ShardState::save(const UserState& before, const UserState& after) {
  put(Key(Table::user).id(after.id), after);
  const int more = (after.is_active_admin() ? 1 : 0) - (before.is_active_admin() ? 1 : 0);
  if (more != 0) add(Key(Table::active_admins), more);
}

void ShardState::save(const SessionState& session) {
  put(Key(Table::session).id(session.id), session);
}

void ShardState::save(const ApiKeyState& key) { put(Key(Table::api_key).id(key.id), key); }

void ShardState::save(const GroupState& group) { put(Key(Table::group).id(group.id), group); }

void ShardState::save(const InvitationState& invitation) {
  put(Key(Table::invitation).id(invitation.id), invitation);
}

void ShardState::save(const WebhookState& webhook) {
  put(Key(Table::webhook).id(webhook.id), webhook);
  put_mark(webhooks_of(webhook.project_id.value_or(ProjectId{})).id(webhook.id).take());
}

void ShardState::erase(const WebhookState& webhook) {
  store_.erase(Key(Table::webhook).id(webhook.id).bytes());
  store_.erase(webhooks_of(webhook.project_id.value_or(ProjectId{})).id(webhook.id).bytes());
}

std::int64_t ShardState::counter(std::string_view name) const {
  return count(Key(Table::counter).text(name));
}

void ShardState::raise_counter(std::string_view name, std::int64_t at_least) {
  if (counter(name) < at_least) put_number(Key(Table::counter).text(name), at_least);
}

std::optional<std::int64_t> ShardState::number(const Key& key) const {
  return find<std::int64_t>(key);
}

void ShardState::put_number(const Key& key, std::int64_t value) { put(key, value); }

std::int64_t ShardState::count(const Key& key) const { return number(key).value_or(0); }

void ShardState::add(const Key& key, std::int64_t difference) {
  put_number(key, count(key) + difference);
}

ClassUse ShardState::class_use(ProjectId project) const {
  ClassUse use;
  store_.scan(Key(Table::class_use).id(project).bytes(), {},
              [&](std::string_view key, std::string_view value) {
                use[ClassId{last_number(key)}] = codec::from_binary<std::int64_t>(value);
                return true;
              });
  return use;
}

std::int64_t ShardState::task_count(ProjectId project) const {
  std::int64_t tasks = 0;
  store_.scan(Key(Table::status_count).id(project).bytes(), {},
              [&](std::string_view, std::string_view value) {
                tasks += codec::from_binary<std::int64_t>(value);
                return true;
              });
  return tasks;
}

void ShardState::erase_below(const Key& prefix) {
  std::vector<std::string> keys;
  store_.scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return true;
  });
  for (const auto& key : keys) store_.erase(key);
}

void ShardState::erase_counts(ProjectId project) {
  for (const Table table :
       {Table::task_number, Table::class_use, Table::status_count, Table::last_batch_number}) {
    erase_below(Key(table).id(project));
  }
  for (const Table table : {Table::pending_queue, Table::unclassified}) {
    cache_.queue_heads.erase(Key(table).id(project).bytes());
  }
}

ShardState::ReadyItems ShardState::ready_items(DatasetId dataset, std::int64_t after,
                                               std::size_t limit) const {
  ReadyItems found{{}, after};
  const Key prefix = Key(Table::ready_item).id(dataset);
  const auto note = [&](std::string_view key, std::string_view value) {
    found.items.emplace_back(codec::from_binary<std::int64_t>(value));
    found.last_number = last_number(key);
    return found.items.size() < limit;
  };
  if (limit > 0) store_.scan(prefix.bytes(), Key(prefix).number(after + 1).bytes(), note);
  return found;
}

std::vector<ItemState> ShardState::items(std::span<const ItemId> ids) const {
  std::vector<ItemState> found;
  found.reserve(ids.size());
  each_near_row(store_, Key(Table::item), ids, [&](ItemId, std::string_view value) {
    found.push_back(codec::from_binary<ItemState>(value));
  });
  return found;
}

std::vector<ItemId> ShardState::items_with_task(ProjectId project, DatasetId dataset,
                                                std::span<const ItemId> items) const {
  std::vector<ItemId> found;
  each_near_row(store_, tasks_of_items(project, dataset), items,
                [&](ItemId item, std::string_view) { found.push_back(item); });
  return found;
}

std::vector<ItemId> ShardState::doomed_items(DatasetId dataset, std::size_t limit) const {
  std::vector<ItemId> items;
  store_.scan(Key(Table::doomed_item).id(dataset).bytes(), {},
              [&](std::string_view key, std::string_view) {
                items.emplace_back(last_number(key));
                return items.size() < limit;
              });
  return items;
}

ShardState::ItemsOfPaths ShardState::items_by_path(DatasetId dataset, const std::string& from,
                                                   std::size_t limit) const {
  ItemsOfPaths found{{}, from};
  const Key prefix = Key(Table::item_of_path).id(dataset);
  store_.scan(prefix.bytes(), Key(prefix).text(from).bytes(),
              [&](std::string_view key, std::string_view value) {
                found.items.emplace_back(codec::from_binary<std::int64_t>(value));
                found.last_path = key.substr(prefix.bytes().size());
                return found.items.size() < limit;
              });
  return found;
}

void ShardState::each_untold_size(DatasetId dataset,
                                  const std::function<bool(ProjectId, ItemId)>& visit) const {
  store_.scan(Key(Table::untold_size).id(dataset).bytes(), {},
              [&](std::string_view key, std::string_view) {
                const ProjectId project{last_number(key.substr(0, key.size() - 8))};
                return visit(project, ItemId{last_number(key)});
              });
}

}  // namespace annolog::commands
