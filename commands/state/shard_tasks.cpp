// Tasks and batches in the state, and the indexes that tasks/next and batches read.
#include <algorithm>
#include <map>

#include "commands/state/shard_state.hpp"

namespace annolog::commands {
namespace {

constexpr std::size_t kMaxCachedBatches = 16'384;
constexpr std::size_t kMaxCachedPrefixes = 16'384;

// Order in which tasks/next offers a user's own work (decisions, section 5).
std::optional<WorkRank> own_work_rank(TaskStatus status) {
  switch (status) {
    case TaskStatus::rejected: return WorkRank::rejected;
    case TaskStatus::in_progress: return WorkRank::in_progress;
    case TaskStatus::assigned: return WorkRank::waiting;
    default: return std::nullopt;
  }
}

bool is_begun(const TaskState& task) {
  return task.status == TaskStatus::in_progress || task.status == TaskStatus::rejected;
}

// In a batch, work not begun is offered in one order, whoever it is assigned to: a change of the
// batch's people moves no entry.
std::optional<WorkRank> batch_work_rank(const TaskState& task) {
  if (!is_open(task.status)) return std::nullopt;
  if (task.skipped_at && !is_begun(task)) return WorkRank::skipped;
  return own_work_rank(task.status).value_or(WorkRank::waiting);
}

Key of_task(Key key, const TaskState& task) { return key.number(task.number).id(task.id); }

void add_batch_entries(const TaskState& task, std::vector<std::string>& entries) {
  entries.push_back(of_task(Key(Table::batch_task).id(*task.batch_id), task).take());
  const auto rank = batch_work_rank(task);
  if (!rank) return;
  Key work = work_of(*task.batch_id, *rank);
  if (is_begun(task)) work.number(work_group(task));
  entries.push_back(of_task(std::move(work), task).take());
  if (!is_begun(task) || !task.assignee_id) return;
  const Key own = batch_own_of(*task.batch_id, *task.assignee_id, *rank).number(task.batch_change);
  entries.push_back(of_task(own, task).take());
}

void add_unclassified_entries(const TaskState& task, std::vector<std::string>& entries) {
  entries.push_back(
      of_task(Key(Table::unclassified).id(task.project_id).id(task.dataset_id), task).take());
  // Begun work that names nobody was in a batch once, and is offered as pending work is.
  const bool pending = task.status == TaskStatus::pending;
  if (pending || (is_begun(task) && !task.assignee_id)) {
    const bool last = pending && task.skipped_at;
    entries.push_back(
        of_task(Key(Table::pending_queue).id(task.project_id).byte(last ? 1 : 0), task).take());
  }
  const auto rank = own_work_rank(task.status);
  if (rank && task.assignee_id) {
    entries.push_back(of_task(own_work_of(task.project_id, *task.assignee_id, *rank), task).take());
  }
}

// Every index entry that follows from a task. Derived from its row alone, so the entries of before
// and after tell what to erase and what to put.
std::vector<std::string> index_entries(const TaskState& task) {
  std::vector<std::string> entries;
  if (task.version == 0) return entries;
  if (task.batch_id) {
    add_batch_entries(task, entries);
  } else {
    add_unclassified_entries(task, entries);
  }
  if (task.lock) {
    entries.push_back(
        Key(Table::lock).id(task.project_id).id(task.lock->user_id).id(task.id).take());
    entries.push_back(Key(Table::lock_end).number(task.lock->expires_at.ms).id(task.id).take());
  }
  return entries;
}

bool contains(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

bool is_of(std::string_view entry, Table table) {
  return entry.front() == static_cast<char>(table);
}

// The part of an index entry up to the user; empty for other indexes.
std::string user_prefix(std::string_view entry) {
  const bool of_user =
      is_of(entry, Table::own_work) || is_of(entry, Table::lock) || is_of(entry, Table::own_batch);
  return std::string(entry.substr(0, of_user ? kUserPrefixBytes : 0));
}

void note_entry(ShardCache& cache, const std::string& entry, std::int64_t difference) {
  const auto known = cache.of_user_entries.find(user_prefix(entry));
  if (known != cache.of_user_entries.end()) known->second += difference;
}

Key status_count(ProjectId project, TaskStatus status) {
  return Key(Table::status_count).id(project).byte(static_cast<std::uint8_t>(status));
}

// So that tasks/next never looks at batches where no work is left.
std::optional<std::string> open_batch_entry(const BatchState& batch, std::int64_t open_tasks) {
  if (batch.version == 0 || !is_open(batch.status) || !batch.annotator_id) return std::nullopt;
  if (open_tasks == 0) return std::nullopt;
  return Key(Table::open_batch).id(batch.project_id).id(*batch.annotator_id).id(batch.id).take();
}

}  // namespace

Key own_work_of(ProjectId project, UserId user, WorkRank rank) {
  return Key(Table::own_work).id(project).id(user).byte(static_cast<std::uint8_t>(rank));
}

Key work_of(BatchId batch, WorkRank rank) {
  return Key(Table::batch_work).id(batch).byte(static_cast<std::uint8_t>(rank));
}

std::shared_ptr<const BatchState> ShardState::batch(BatchId id) {
  if (const auto found = cache_.batches.find(id.value); found != cache_.batches.end()) {
    return found->second;
  }
  auto loaded = std::make_shared<const BatchState>(load<BatchState>(Key(Table::batch).id(id)));
  if (loaded->version != 0) {
    if (cache_.batches.size() >= kMaxCachedBatches) cache_.batches.clear();
    cache_.batches.emplace(id.value, loaded);
  }
  return loaded;
}

std::shared_ptr<const BatchState> ShardState::batch(ProjectId project, const BatchRef& ref) {
  static const auto kNone = std::make_shared<const BatchState>();
  std::int64_t id = ref.id;
  if (id == 0 && ref.number != 0) {
    id = number(Key(Table::batch_number).id(project).number(ref.number)).value_or(0);
  }
  if (id == 0) return kNone;
  auto found = batch(BatchId{id});
  return found->project_id == project ? found : kNone;
}

std::vector<BatchId> ShardState::batches_of(ProjectId project) const {
  std::vector<BatchId> batches;
  store_.scan(Key(Table::batch_number).id(project).bytes(), {},
              [&](std::string_view, std::string_view value) {
                batches.emplace_back(codec::from_binary<std::int64_t>(value));
                return true;
              });
  return batches;
}

void ShardState::save(const BatchState& before, const BatchState& after) {
  put(Key(Table::batch).id(after.id), after);
  cache_.batches.erase(after.id.value);
  follow_workers(before, after);
  const auto open_tasks = progress(after.id).open();
  const auto old_entry = open_batch_entry(before, open_tasks);
  const auto new_entry = open_batch_entry(after, open_tasks);
  if (old_entry == new_entry) return;
  if (old_entry) store_.erase(*old_entry);
  if (new_entry) put_mark(*new_entry);
}

void ShardState::erase(const BatchState& batch) {
  if (const auto entry = open_batch_entry(batch, 1)) store_.erase(*entry);
  store_.erase(Key(Table::batch_number).id(batch.project_id).number(batch.number).bytes());
  store_.erase(Key(Table::batch_progress).id(batch.id).bytes());
  store_.erase(Key(Table::batch).id(batch.id).bytes());
  cache_.batches.erase(batch.id.value);
}

StoredTask ShardState::stored_task(TaskId id) {
  StoredTask stored{load<TaskState>(Key(Table::task).id(id)), {}};
  stored.now = stored.row;
  if (stored.row.batch_id) {
    stored.now = caught_up(std::move(stored.now), *batch(*stored.row.batch_id));
  }
  return stored;
}

void ShardState::save(const StoredTask& before, const TaskState& after) {
  put(Key(Table::task).id(after.id), after);
  auto old_entries = index_entries(before.row);
  const auto new_entries = index_entries(after);
  for (const auto& entry : new_entries) {
    if (contains(old_entries, entry)) continue;
    put_mark(entry);
    note_entry(cache_, entry, 1);
    note_head(entry);
  }
  std::erase_if(old_entries, [&](const auto& entry) { return contains(new_entries, entry); });
  forget_entries(old_entries);
  count_worker(before.row, -1);
  count_worker(after, 1);
  move_counts(before.now, after);
}

std::vector<AnnotationState> ShardState::annotations_of(TaskId task) const {
  std::vector<AnnotationState> annotations;
  store_.scan(Key(Table::annotation).id(task).bytes(), {},
              [&](std::string_view, std::string_view value) {
                annotations.push_back(codec::from_binary<AnnotationState>(value));
                return true;
              });
  return annotations;
}

void ShardState::remove_task(TaskId id) {
  const StoredTask task = stored_task(id);
  if (task.row.version == 0) return;
  forget_entries(index_entries(task.row));
  count_worker(task.row, -1);
  store_.erase(
      task_of_item_key(task.now.project_id, task.now.dataset_id, task.now.item_id).bytes());
  add(status_count(task.now.project_id, task.now.status), -1);
  if (task.now.batch_id) {
    const BatchProgress before = progress(*task.now.batch_id);
    BatchProgress counts = before;
    --counts.of(task.now.status);
    put_progress(*task.now.batch_id, before, counts);
  }
  std::map<ClassId, std::int64_t> used;
  store_.scan(Key(Table::annotation).id(id).bytes(), {},
              [&](std::string_view, std::string_view value) {
                const auto annotation = codec::from_binary<AnnotationState>(value);
                if (!annotation.deleted_at) ++used[annotation.class_id];
                return true;
              });
  for (const auto& [class_id, times] : used)
    add(Key(Table::class_use).id(task.now.project_id).id(class_id), -times);
  erase_below(Key(Table::annotation).id(id));
  erase_below(Key(Table::comment).id(id));
  store_.erase(Key(Table::task).id(id).bytes());
}

void ShardState::forget_entries(const std::vector<std::string>& entries) {
  for (const auto& entry : entries) {
    store_.erase(entry);
    note_entry(cache_, entry, -1);
  }
}

void ShardState::move_counts(const TaskState& before, const TaskState& after) {
  const bool born = before.version == 0;
  if (born || before.status != after.status) {
    if (!born) add(status_count(before.project_id, before.status), -1);
    add(status_count(after.project_id, after.status), 1);
  }
  if (before.batch_id == after.batch_id && before.status == after.status) return;
  const auto move = [&](const TaskState& task, std::int64_t difference) {
    if (!task.batch_id) return;
    const BatchProgress old = progress(*task.batch_id);
    BatchProgress counts = old;
    counts.of(task.status) += difference;
    put_progress(*task.batch_id, old, counts);
  };
  move(before, -1);
  move(after, 1);
}

void ShardState::put_progress(BatchId id, const BatchProgress& before, const BatchProgress& after) {
  put(Key(Table::batch_progress).id(id), after);
  if ((before.open() == 0) == (after.open() == 0)) return;
  const auto of = batch(id);
  if (const auto entry = open_batch_entry(*of, before.open())) store_.erase(*entry);
  if (const auto entry = open_batch_entry(*of, after.open())) put_mark(*entry);
}

void ShardState::follow(const BatchAssigned& event) {
  BatchProgress counts = progress(event.batch_id);
  const auto pending = counts.pending;
  evolve(counts, event);
  const auto more = counts.pending - pending;
  if (more == 0) return;
  put(Key(Table::batch_progress).id(event.batch_id), counts);
  add(status_count(event.project_id, TaskStatus::pending), more);
  add(status_count(event.project_id, TaskStatus::assigned), -more);
}

// Entries that come before the known beginning of a queue move it.
void ShardState::note_head(const std::string& entry) {
  const auto note = [&](std::size_t prefix_bytes) {
    auto head = cache_.queue_heads.find(entry.substr(0, prefix_bytes));
    if (head != cache_.queue_heads.end() && entry < head->second) head->second = entry;
  };
  if (is_of(entry, Table::pending_queue)) note(1 + 8);
  if (is_of(entry, Table::batch_work)) note(1 + 8 + 1);
  if (is_of(entry, Table::batch_own)) note(1 + 8 + 8 + 1);
  if (is_of(entry, Table::unclassified)) {
    note(1 + 8);
    note(1 + 8 + 8);
  }
  if (is_of(entry, Table::lock_end)) note(1);
}

void ShardState::each_of_queue(const Key& prefix,
                               const std::function<bool(std::string_view)>& visit,
                               const std::string& from) {
  auto& heads = cache_.queue_heads;
  if (heads.size() >= kMaxCachedPrefixes) heads.clear();
  std::string& head = heads[prefix.bytes()];
  bool is_first = true;
  const std::string start = std::max(head, from);
  store_.scan(prefix.bytes(), start, [&](std::string_view key, std::string_view) {
    if (is_first) head.assign(key);
    is_first = false;
    return visit(key);
  });
}

void ShardState::each_task(const Key& prefix, const std::function<bool(TaskId)>& visit) const {
  each_of_user(prefix, [&](std::string_view key) { return visit(TaskId{last_number(key)}); });
}

// Each lock that was given back or renewed left a trace of its old end at the beginning.
void ShardState::each_over_lock(Timestamp now, const std::function<bool(TaskId)>& visit) {
  const std::string end = first_live_lock(now).take();
  each_of_queue(Key(Table::lock_end),
                [&](std::string_view key) { return key < end && visit(TaskId{last_number(key)}); });
}

void ShardState::each_old_job(Timestamp now, const std::function<bool(JobId)>& visit) {
  const std::string end = first_kept_job(now).take();
  each_of_queue(Key(Table::job_end),
                [&](std::string_view key) { return key < end && visit(JobId{last_number(key)}); });
}

void ShardState::each_of_user(const Key& prefix,
                              const std::function<bool(std::string_view)>& visit) const {
  const std::string of_user = user_prefix(prefix.bytes());
  auto& known = cache_.of_user_entries;
  if (const auto found = known.find(of_user); found != known.end() && found->second == 0) return;
  std::int64_t visited = 0;
  bool all = true;
  store_.scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view) {
    ++visited;
    all = visit(key);
    return all;
  });
  const bool is_whole_index = prefix.bytes().size() == kUserPrefixBytes && !of_user.empty() && all;
  if (!is_whole_index) return;
  if (known.size() >= kMaxCachedPrefixes) known.clear();
  known.insert_or_assign(of_user, visited);
}

std::vector<TaskId> ShardState::oldest_unclassified(ProjectId project,
                                                    std::optional<DatasetId> dataset,
                                                    std::size_t limit) {
  const Key of_project = Key(Table::unclassified).id(project);
  const std::size_t queue_bytes = Key(of_project).number(0).bytes().size();
  // Of each dataset the oldest task that is not taken: its number, and its key.
  std::multimap<std::int64_t, std::string> next;
  std::optional<std::int64_t> noted;  // dataset
  const auto note = [&](std::string_view key) {
    next.emplace(last_number(key.substr(0, queue_bytes + 8)), key);
    noted = last_number(key.substr(0, queue_bytes));
    return false;
  };
  each_of_queue(dataset ? Key(of_project).id(*dataset) : of_project, note);
  while (noted && !dataset) {
    const Key behind = Key(of_project).number(*noted + 1);
    noted.reset();
    store_.scan(of_project.bytes(), behind.bytes(),
                [&](std::string_view key, std::string_view) { return note(key); });
  }
  std::vector<TaskId> tasks;
  while (tasks.size() < limit && !next.empty()) {
    const std::string from = std::move(next.begin()->second);
    next.erase(next.begin());
    // As many of this dataset as come before those of the others.
    const auto end = next.empty() ? std::optional<std::int64_t>() : next.begin()->first;
    store_.scan(std::string_view(from).substr(0, queue_bytes), from,
                [&](std::string_view key, std::string_view) {
                  if (end && last_number(key.substr(0, queue_bytes + 8)) > *end) return note(key);
                  tasks.emplace_back(last_number(key));
                  return tasks.size() < limit;
                });
  }
  return tasks;
}

std::vector<std::int64_t> ShardState::last_numbers(const Key& prefix) const {
  std::vector<std::int64_t> numbers;
  store_.scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view) {
    numbers.push_back(last_number(key));
    return true;
  });
  return numbers;
}

}  // namespace annolog::commands
