// Who has begun work in which batch. tasks/next finds by it what is theirs without looking at
// batches where no work happens, or which were given to somebody else since.
#include "commands/state/shard_state.hpp"

namespace annolog::commands {

std::int64_t work_group(const TaskState& row) { return row.assignee_id ? row.batch_change + 1 : 0; }

std::int64_t work_group(std::string_view key) {
  return last_number(key.substr(0, key.size() - 16));  // before number and task
}

Key batch_own_of(BatchId batch, UserId user, WorkRank rank) {
  return Key(Table::batch_own).id(batch).id(user).byte(static_cast<std::uint8_t>(rank));
}

Key batch_own_of(const BatchState& batch, UserId user, WorkRank rank) {
  return batch_own_of(batch.id, user, rank).number(batch.annotator_change);
}

void ShardState::mark_own_batch(const BatchState& batch, UserId user, WorkRank rank, bool there) {
  const std::string entry = Key(Table::own_batch)
                                .id(batch.project_id)
                                .id(user)
                                .byte(static_cast<std::uint8_t>(rank))
                                .id(batch.id)
                                .take();
  if (store_.get(entry).has_value() == there) return;
  if (there) put_mark(entry);
  if (!there) store_.erase(entry);
  const auto known = cache_.of_user_entries.find(entry.substr(0, kUserPrefixBytes));
  if (known != cache_.of_user_entries.end()) known->second += there ? 1 : -1;
}

// What a row says of a time before the last change of its batch's annotator counts no more.
void ShardState::count_worker(const TaskState& row, std::int64_t difference) {
  if (row.version == 0 || !row.batch_id || !row.assignee_id) return;
  const bool rejected = row.status == TaskStatus::rejected;
  if (!rejected && row.status != TaskStatus::in_progress) return;
  const auto in = batch(*row.batch_id);
  if (row.batch_change < in->annotator_change) return;
  const WorkRank rank = rejected ? WorkRank::rejected : WorkRank::in_progress;
  const Key key = Key(Table::batch_worker)
                      .id(in->id)
                      .id(*row.assignee_id)
                      .byte(static_cast<std::uint8_t>(rank));
  const auto left = count(key) + difference;
  if (left == 0) {
    store_.erase(key.bytes());
  } else {
    put_number(key, left);
  }
  mark_own_batch(*in, *row.assignee_id, rank, left != 0 && is_open(in->status));
}

// A batch's workers are as many as its tasks at most, a few as a rule.
void ShardState::follow_workers(const BatchState& before, const BatchState& after) {
  const bool forgotten = before.annotator_change != after.annotator_change;
  if (!forgotten && is_open(before.status) == is_open(after.status)) return;
  const Key workers = Key(Table::batch_worker).id(after.id);
  std::vector<std::pair<UserId, WorkRank>> found;
  store_.scan(workers.bytes(), {}, [&](std::string_view key, std::string_view) {
    found.emplace_back(last_number(key.substr(0, key.size() - 1)),
                       static_cast<WorkRank>(static_cast<std::uint8_t>(key.back())));
    return true;
  });
  for (const auto& [user, rank] : found) {
    mark_own_batch(after, user, rank, !forgotten && is_open(after.status));
  }
  if (forgotten) erase_below(workers);
}

void ShardState::each_own_batch(ProjectId project, UserId user,
                                const std::function<bool(WorkRank, BatchId)>& visit) const {
  each_of_user(Key(Table::own_batch).id(project).id(user), [&](std::string_view key) {
    const auto rank = static_cast<std::uint8_t>(key[kUserPrefixBytes]);
    return visit(static_cast<WorkRank>(rank), BatchId{last_number(key)});
  });
}

}  // namespace annolog::commands
