// Which shards this process writes, which it only follows, and what a writer keeps of each of its
// own. Any thread; a shard's `owned` belongs to its writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "commands/group.hpp"

namespace annolog::commands {

enum class Tenure : std::uint32_t {
  followed,  // another process's, or nobody's
  assigned,  // this process's, but an earlier writer's work may still be on its way
  owned,     // taken over: the state is at the end
};

struct Holding {
  std::uint32_t number = 0;  // another each time the shard is assigned
  Tenure tenure = Tenure::followed;
};

struct ShardSlot {
  explicit ShardSlot(eventstore::ShardId id) : owned{id, {}, 0} {}
  std::mutex folding;                       // held while its state is folded
  std::atomic<Holding> holding{Holding{}};  // changed by the group's thread, and by advance()
  std::atomic<bool> leaving{false};         // what is in hand is ended, and no more taken
  OwnedShard owned;
  // The next command of the topic, as the group knows it; its writer's, while owned.
  std::int64_t next_command = 0;

  bool is(Tenure tenure) const { return holding.load().tenure == tenure; }
  // False when it is not `before`, of that number, any more: the group has moved on.
  bool advance(std::uint32_t number, Tenure before, Tenure next) {
    Holding expected{number, before};
    return holding.compare_exchange_strong(expected, {number, next});
  }
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
