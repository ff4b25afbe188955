// Typed access to the state of one shard, and the indexes that follow from it. One instance per
// transaction or refold; belongs to the shard's writer thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/state/audit_head.hpp"
#include "commands/state/key.hpp"
#include "domain/api_key/commands.hpp"
#include "domain/batch/commands.hpp"
#include "domain/codec/binary.hpp"
#include "domain/comment/state.hpp"
#include "domain/dataset/backfill.hpp"
#include "domain/dataset/state.hpp"
#include "domain/group/commands.hpp"
#include "domain/invitation/commands.hpp"
#include "domain/job/state.hpp"
#include "domain/naming/commands.hpp"
#include "domain/project/commands.hpp"
#include "domain/project/state.hpp"
#include "domain/project/unlinking.hpp"
#include "domain/session/commands.hpp"
#include "domain/task/state.hpp"
#include "domain/user/state.hpp"
#include "domain/webhook/state.hpp"
#include "eventstore/state.hpp"

namespace annolog::commands {

// Decoded projects and batches; the request that the next one follows; where each queue begins, so
// that a scan needn't cross the removed entries before it; how many entries the index of a user has
// where that is known, so that none are looked for where there are none. For speed only: clear()
// whenever what they were read from is undone.
struct ShardCache {
  std::optional<AuditHead> audit_head;
  std::unordered_map<std::int64_t, std::shared_ptr<const ProjectState>> projects;
  std::unordered_map<std::int64_t, std::shared_ptr<const BatchState>> batches;
  std::unordered_map<std::string, std::string> queue_heads;       // by the queue's prefix
  std::unordered_map<std::string, std::int64_t> of_user_entries;  // by the index's prefix

  void clear() {
    audit_head.reset();
    projects.clear();
    batches.clear();
    queue_heads.clear();
    of_user_entries.clear();
  }
};

// The order in which work is offered.
enum class WorkRank : std::uint8_t { rejected, in_progress, waiting, skipped };

// Where a user's own work begins, and a batch's, of one rank.
Key own_work_of(ProjectId project, UserId user, WorkRank rank);
Key work_of(BatchId batch, WorkRank rank);

// Begun work of a batch lies in groups, in the order of the changes of its people that the rows
// have taken in; first what names nobody. Who it belongs to: up to the group of the last change of
// the annotator to them (or to nobody), behind it to whom the row names, which batch_own tells.
std::int64_t work_group(const TaskState& row);
std::int64_t work_group(std::string_view key);
// Where a user's begun work in a batch begins, and that of it which is theirs yet.
Key batch_own_of(BatchId batch, UserId user, WorkRank rank);
Key batch_own_of(const BatchState& batch, UserId user, WorkRank rank);

// A task as it is kept, and with what its batch did since (domain/batch/state.hpp).
struct StoredTask {
  TaskState row;
  TaskState now;
};

class ShardState {
 public:
  ShardState(eventstore::StateWriter& store, ShardCache& cache, std::int64_t shard,
             std::int64_t shards)
      : store_(store), cache_(cache), shard_(shard), shards_(shards) {}

  // Absent aggregates come as values with version (or id) 0.
  std::shared_ptr<const ProjectState> project(ProjectId id);
  std::shared_ptr<const BatchState> batch(BatchId id);
  std::shared_ptr<const BatchState> batch(ProjectId project, const BatchRef& ref);
  std::vector<BatchId> batches_of(ProjectId project) const;  // in the order of their numbers
  BatchProgress progress(BatchId id) const {
    return load<BatchProgress>(Key(Table::batch_progress).id(id));
  }
  // What is known of a dataset that was unlinked from the project.
  std::optional<Unlinking> unlinking(ProjectId project, DatasetId dataset) const {
    return find<Unlinking>(unlinking_key(project, dataset));
  }
  StoredTask stored_task(TaskId id);
  TaskState task(TaskId id) { return stored_task(id).now; }
  AnnotationState annotation(TaskId task, AnnotationId id) const {
    return load<AnnotationState>(Key(Table::annotation).id(task).id(id));
  }
  std::vector<AnnotationState> annotations_of(TaskId task) const;  // deleted ones too
  CommentState comment(TaskId task, CommentId id) const {
    return load<CommentState>(Key(Table::comment).id(task).id(id));
  }
  DatasetState dataset(DatasetId id) const {
    return load<DatasetState>(Key(Table::dataset).id(id));
  }
  BackfillState backfill(DatasetId id) const {
    return load<BackfillState>(Key(Table::backfill).id(id));
  }
  JobState job(JobId id) const { return load<JobState>(Key(Table::job).id(id)); }
  ItemState item(ItemId id) const { return load<ItemState>(Key(Table::item).id(id)); }
  // Those that are there, in the order of `ids`; fastest where they ascend.
  std::vector<ItemState> items(std::span<const ItemId> ids) const;
  // Those of `items` that have a task, in the same order.
  std::vector<ItemId> items_with_task(ProjectId project, DatasetId dataset,
                                      std::span<const ItemId> items) const;
  UserState user(UserId id) const { return load<UserState>(Key(Table::user).id(id)); }
  SessionState session(SessionId id) const {
    return load<SessionState>(Key(Table::session).id(id));
  }
  ApiKeyState api_key(ApiKeyId id) const { return load<ApiKeyState>(Key(Table::api_key).id(id)); }
  GroupState group(GroupId id) const { return load<GroupState>(Key(Table::group).id(id)); }
  InvitationState invitation(InvitationId id) const {
    return load<InvitationState>(Key(Table::invitation).id(id));
  }
  WebhookState webhook(WebhookId id) const {
    return load<WebhookState>(Key(Table::webhook).id(id));
  }

  const AuditHead& audit_head();
  void save(AuditHead head);
  void save(const ProjectState& project);
  void save(const BatchState& before, const BatchState& after);  // and its index entries
  void erase(const BatchState& batch);                           // which has no task any more
  void save(const StoredTask& before, const TaskState& after);   // and index entries and counts
  void follow(const BatchAssigned& event);  // the counts of the tasks that follow
  void remove_task(TaskId id);  // with all that leads to it, its annotations and comments
  void save(const AnnotationState& annotation);
  void save(const CommentState& comment);
  void save(const DatasetState& dataset);
  void save(const ItemState& item);
  void save(const UserState& before, const UserState& after);  // and how many admins there are
  void save(const SessionState& session);
  void save(const ApiKeyState& key);
  void save(const GroupState& group);
  void save(const InvitationState& invitation);
  void save(const WebhookState& webhook);
  void erase(const WebhookState& webhook);

  // Numbers. `peek` + n is the n-th next; the fold raises the counter by what events carry.
  std::int64_t counter(std::string_view name) const;
  void raise_counter(std::string_view name, std::int64_t at_least);
  // Ids of aggregates that carry their shard.
  std::int64_t sequence_of(std::int64_t id) const { return id / shards_; }
  std::int64_t id_of(std::int64_t sequence) const { return sequence * shards_ + shard_; }

  std::int64_t count(const Key& key) const;
  void add(const Key& key, std::int64_t difference);
  ClassUse class_use(ProjectId project) const;
  std::int64_t task_count(ProjectId project) const;
  // What is counted for a project that is gone.
  void erase_counts(ProjectId project);

  std::optional<std::int64_t> number(const Key& key) const;  // a value that is one number
  void put_number(const Key& key, std::int64_t value);
  bool exists(const Key& key) const { return store_.get(key.bytes()).has_value(); }
  void put_mark(const std::string& key) { store_.put(key, {}); }
  void erase(const std::string& key) { store_.erase(key); }
  void erase_below(const Key& prefix);

  template <class T>
  std::optional<T> find(const Key& key) const {
    const auto bytes = store_.get(key.bytes());
    if (!bytes) return std::nullopt;
    return codec::from_binary<T>(*bytes);
  }
  template <class T>
  void put(const Key& key, const T& value) {
    store_.put(key.bytes(), codec::to_binary(value));
  }

  // Up to `limit` items of the dataset in the order they became ready, behind the `after`-th.
  struct ReadyItems {
    std::vector<ItemId> items;
    std::int64_t last_number = 0;  // where the last of them stands; `after` when there are none
  };
  ReadyItems ready_items(DatasetId dataset, std::int64_t after, std::size_t limit) const;
  // The dataset's deleted items whose objects may still be there, up to `limit`.
  std::vector<ItemId> doomed_items(DatasetId dataset, std::size_t limit) const;
  // All its items, pending ones too, in order of path, from the path `from` on.
  struct ItemsOfPaths {
    std::vector<ItemId> items;
    std::string last_path;  // of the last of them; `from` when there are none
  };
  ItemsOfPaths items_by_path(DatasetId dataset, const std::string& from, std::size_t limit) const;
  // Measured items whose tasks in a project do not know yet, until `visit` returns false.
  void each_untold_size(DatasetId dataset,
                        const std::function<bool(ProjectId, ItemId)>& visit) const;
  // The task ids that end the keys below `prefix`, in key order, until `visit` returns false.
  void each_task(const Key& prefix, const std::function<bool(TaskId)>& visit) const;
  // The tasks whose locks are over, in the order of their ends, until `visit` returns false.
  void each_over_lock(Timestamp now, const std::function<bool(TaskId)>& visit);
  // The jobs that have long been over, in the order of their ends, until `visit` returns false.
  void each_old_job(Timestamp now, const std::function<bool(JobId)>& visit);
  // The open batches where begun work of the user lies, rejected before other, until `visit`
  // returns false.
  void each_own_batch(ProjectId project, UserId user,
                      const std::function<bool(WorkRank, BatchId)>& visit) const;
  // The keys of a queue from its beginning, which is remembered, until `visit` returns false.
  // What is before `from` is never asked for again.
  void each_of_queue(const Key& prefix, const std::function<bool(std::string_view)>& visit,
                     const std::string& from = {});
  // Up to `limit` tasks in no batch, oldest first, of one dataset or of all.
  std::vector<TaskId> oldest_unclassified(ProjectId project, std::optional<DatasetId> dataset,
                                          std::size_t limit);
  // The ids that end the keys below `prefix`, in key order.
  std::vector<std::int64_t> last_numbers(const Key& prefix) const;

  eventstore::StateWriter& store() { return store_; }
  const eventstore::StateWriter& store() const { return store_; }

 private:
  template <class T>
  T load(const Key& key) const {
    return find<T>(key).value_or(T{});
  }

  void each_of_user(const Key& prefix, const std::function<bool(std::string_view)>& visit) const;
  void count_worker(const TaskState& row, std::int64_t difference);
  void follow_workers(const BatchState& before, const BatchState& after);
  void mark_own_batch(const BatchState& batch, UserId user, WorkRank rank, bool there);
  void put_progress(BatchId id, const BatchProgress& before, const BatchProgress& after);
  void note_head(const std::string& entry);
  void forget_entries(const std::vector<std::string>& entries);
  void move_counts(const TaskState& before, const TaskState& after);

  eventstore::StateWriter& store_;
  ShardCache& cache_;
  std::int64_t shard_;
  std::int64_t shards_;
};

}  // namespace annolog::commands
