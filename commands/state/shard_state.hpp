// Typed access to the state of one shard, and the indexes that follow from it. One instance per
// transaction or refold; belongs to the shard's writer thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/state/key.hpp"
#include "domain/api_key/commands.hpp"
#include "domain/codec/binary.hpp"
#include "domain/dataset/state.hpp"
#include "domain/group/commands.hpp"
#include "domain/invitation/commands.hpp"
#include "domain/naming/commands.hpp"
#include "domain/project/commands.hpp"
#include "domain/project/state.hpp"
#include "domain/session/commands.hpp"
#include "domain/task/state.hpp"
#include "domain/user/state.hpp"
#include "eventstore/state.hpp"

namespace annolog::commands {

// Decoded projects; where each pending queue begins, so that a scan needn't cross the removed
// entries before it; how many entries the index of a user has where that is known, so that none are
// looked for where there are none. For speed only: clear() whenever what they were read from is
// undone.
struct ShardCache {
  std::unordered_map<std::int64_t, std::shared_ptr<const ProjectState>> projects;
  std::unordered_map<std::int64_t, std::string> queue_heads;      // by project
  std::unordered_map<std::string, std::int64_t> of_user_entries;  // by the index's prefix

  void clear() {
    projects.clear();
    queue_heads.clear();
    of_user_entries.clear();
  }
};

class ShardState {
 public:
  ShardState(eventstore::StateWriter& store, ShardCache& cache, std::int64_t shard,
             std::int64_t shards)
      : store_(store), cache_(cache), shard_(shard), shards_(shards) {}

  // Absent aggregates come as values with version (or id) 0.
  std::shared_ptr<const ProjectState> project(ProjectId id);
  TaskState task(TaskId id) const { return load<TaskState>(Key(Table::task).id(id)); }
  AnnotationState annotation(TaskId task, AnnotationId id) const {
    return load<AnnotationState>(Key(Table::annotation).id(task).id(id));
  }
  DatasetState dataset(DatasetId id) const {
    return load<DatasetState>(Key(Table::dataset).id(id));
  }
  ItemState item(ItemId id) const { return load<ItemState>(Key(Table::item).id(id)); }
  UserState user(UserId id) const { return load<UserState>(Key(Table::user).id(id)); }
  SessionState session(SessionId id) const {
    return load<SessionState>(Key(Table::session).id(id));
  }
  ApiKeyState api_key(ApiKeyId id) const { return load<ApiKeyState>(Key(Table::api_key).id(id)); }
  GroupState group(GroupId id) const { return load<GroupState>(Key(Table::group).id(id)); }
  InvitationState invitation(InvitationId id) const {
    return load<InvitationState>(Key(Table::invitation).id(id));
  }

  void save(const ProjectState& project);
  void save(const TaskState& before, const TaskState& after);  // and its index entries
  void save(const AnnotationState& annotation);
  void save(const DatasetState& dataset);
  void save(const ItemState& item);
  void save(const UserState& before, const UserState& after);  // and how many admins there are
  void save(const SessionState& session);
  void save(const ApiKeyState& key);
  void save(const GroupState& group);
  void save(const InvitationState& invitation);

  // Numbers. `peek` + n is the n-th next; the fold raises the counter by what events carry.
  std::int64_t counter(std::string_view name) const;
  void raise_counter(std::string_view name, std::int64_t at_least);
  // Ids of aggregates that carry their shard.
  std::int64_t sequence_of(std::int64_t id) const { return id / shards_; }
  std::int64_t id_of(std::int64_t sequence) const { return sequence * shards_ + shard_; }

  std::int64_t count(const Key& key) const;
  void add(const Key& key, std::int64_t difference);
  ClassUse class_use(ProjectId project) const;

  std::optional<std::int64_t> number(const Key& key) const;  // a value that is one number
  void put_number(const Key& key, std::int64_t value);
  bool exists(const Key& key) const { return store_.get(key.bytes()).has_value(); }
  void put_mark(const std::string& key) { store_.put(key, {}); }
  void erase(const std::string& key) { store_.erase(key); }

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
  // The task ids that end the keys below `prefix`, in key order, until `visit` returns false.
  void each_task(const Key& prefix, const std::function<bool(TaskId)>& visit) const;
  // The first task of the project's queue of unclassified pending tasks.
  std::optional<TaskId> first_pending(ProjectId project);

  eventstore::StateWriter& store() { return store_; }
  const eventstore::StateWriter& store() const { return store_; }

 private:
  template <class T>
  T load(const Key& key) const {
    return find<T>(key).value_or(T{});
  }

  eventstore::StateWriter& store_;
  ShardCache& cache_;
  std::int64_t shard_;
  std::int64_t shards_;
};

}  // namespace annolog::commands
