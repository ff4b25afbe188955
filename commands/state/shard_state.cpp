#include "commands/state/shard_state.hpp"

#include <algorithm>

namespace annolog::commands {
namespace {

constexpr std::size_t kMaxCachedProjects = 4096;
constexpr std::size_t kMaxCachedPrefixes = 16'384;
constexpr std::size_t kUserPrefixBytes = 1 + 8 + 8;  // table, project, user

// Order in which tasks/next offers a user's own work (decisions, section 5).
std::optional<std::uint8_t> own_work_rank(TaskStatus status) {
  switch (status) {
    case TaskStatus::rejected: return 0;
    case TaskStatus::in_progress: return 1;
    case TaskStatus::assigned: return 2;
    default: return std::nullopt;
  }
}

// Every index entry that follows from a task. Derived from the state alone, so the entries of
// before and after tell what to erase and what to put.
std::vector<std::string> index_entries(const TaskState& task) {
  std::vector<std::string> entries;
  if (task.version == 0) return entries;
  if (task.status == TaskStatus::pending) {
    entries.push_back(Key(Table::pending_queue)
                          .id(task.project_id)
                          .id(task.batch_id.value_or(BatchId{}))
                          .byte(task.skipped_at ? 1 : 0)
                          .number(task.number)
                          .id(task.id)
                          .take());
  }
  if (const auto rank = own_work_rank(task.status); rank && task.assignee_id) {
    entries.push_back(Key(Table::own_work)
                          .id(task.project_id)
                          .id(*task.assignee_id)
                          .byte(*rank)
                          .number(task.number)
                          .id(task.id)
                          .take());
  }
  if (task.lock) {
    entries.push_back(
        Key(Table::lock).id(task.project_id).id(task.lock->user_id).id(task.id).take());
  }
  return entries;
}

bool contains(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

// The part of an index entry up to the user; empty for other indexes.
std::string user_prefix(std::string_view entry) {
  const bool of_user = entry.front() == static_cast<char>(Table::own_work) ||
                       entry.front() == static_cast<char>(Table::lock);
  return std::string(entry.substr(0, of_user ? kUserPrefixBytes : 0));
}

void note_entry(ShardCache& cache, const std::string& entry, std::int64_t difference) {
  const auto known = cache.of_user_entries.find(user_prefix(entry));
  if (known != cache.of_user_entries.end()) known->second += difference;
}

Key status_count(const TaskState& task) {
  return Key(Table::status_count).id(task.project_id).byte(static_cast<std::uint8_t>(task.status));
}

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

void ShardState::save(const TaskState& before, const TaskState& after) {
  put(Key(Table::task).id(after.id), after);
  const auto old_entries = index_entries(before);
  const auto new_entries = index_entries(after);
  for (const auto& entry : old_entries) {
    if (contains(new_entries, entry)) continue;
    store_.erase(entry);
    note_entry(cache_, entry, -1);
  }
  for (const auto& entry : new_entries) {
    if (contains(old_entries, entry)) continue;
    put_mark(entry);
    note_entry(cache_, entry, 1);
    if (entry.front() != static_cast<char>(Table::pending_queue)) continue;
    auto head = cache_.queue_heads.find(after.project_id.value);
    if (head != cache_.queue_heads.end() && entry < head->second) head->second = entry;
  }
  if (before.version == 0 || before.status != after.status) {
    if (before.version != 0) add(status_count(before), -1);
    add(status_count(after), 1);
  }
}

void ShardState::save(const AnnotationState& annotation) {
  put(Key(Table::annotation).id(annotation.task_id).id(annotation.id), annotation);
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

void ShardState::each_task(const Key& prefix, const std::function<bool(TaskId)>& visit) const {
  const std::string of_user = user_prefix(prefix.bytes());
  auto& known = cache_.of_user_entries;
  if (const auto found = known.find(of_user); found != known.end() && found->second == 0) return;
  std::int64_t visited = 0;
  bool all = true;
  store_.scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view) {
    ++visited;
    all = visit(TaskId{last_number(key)});
    return all;
  });
  const bool is_whole_index = of_user.size() == kUserPrefixBytes && all;
  if (!is_whole_index) return;
  if (known.size() >= kMaxCachedPrefixes) known.clear();
  known.insert_or_assign(of_user, visited);
}

std::optional<TaskId> ShardState::first_pending(ProjectId project) {
  const Key prefix = Key(Table::pending_queue).id(project).id(BatchId{});
  std::string& head = cache_.queue_heads[project.value];
  std::optional<TaskId> found;
  store_.scan(prefix.bytes(), head, [&](std::string_view key, std::string_view) {
    head.assign(key);
    found = TaskId{last_number(key)};
    return false;
  });
  return found;
}

}  // namespace annolog::commands
