// Which shards this process writes, which it only follows, and what a writer keeps of each of its
// own. Any thread; a shard's `owned` belongs to its writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "commands/group.hpp"

namespace annolog::commands {

enum class Tenure {
  followed,  // another process's, or nobody's
  assigned,  // this process's, but an earlier writer's work may still be on its way
  owned,     // taken over: the state is at the end
};

struct ShardSlot {
  explicit ShardSlot(eventstore::ShardId id) : owned{id, {}, 0} {}
  std::mutex folding;  // held while its state is folded
  std::atomic<Tenure> tenure{Tenure::followed};
  std::atomic<std::uint64_t> number{0};  // of the tenure: another each time the shard is assigned
  OwnedShard owned;

  // False when it is not `before` any more: the group has moved on.
  bool advance(Tenure before, Tenure next) { return tenure.compare_exchange_strong(before, next); }
};

class ShardTable {
 public:
  explicit ShardTable(std::uint16_t shards) {
    for (std::uint16_t i = 0; i < shards; ++i) slots_.emplace_back(eventstore::ShardId(i));
  }
  ShardSlot& operator[](eventstore::ShardId shard) { return slots_[shard.value]; }

 private:
  std::deque<ShardSlot> slots_;
};

}  // namespace annolog::commands
