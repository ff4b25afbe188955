// Which shards a projector of many applies. Others assign and revoke, any thread; the projector's
// own thread serves one assignment at a time, so that no batch is under way with a shard that was
// revoked, and none begins with one whose checkpoint it has not read.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "eventstore/record.hpp"

namespace annolog::projections {

class ShardAssignment {
 public:
  // `all`: every shard from the beginning.
  ShardAssignment(std::uint16_t shards, bool all) : owned_(shards), serving_(shards, all) {
    for (auto& own : owned_) own = all;
  }

  bool owns(eventstore::ShardId shard) const { return owned_[shard.value]; }
  void add(std::span<const eventstore::ShardId> shards) { set(shards, true); }
  void remove(std::span<const eventstore::ShardId> shards) { set(shards, false); }
  // Until no batch is under way that an earlier assignment allowed.
  void wait_until_served(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    const std::uint64_t wanted = number_;
    changed_.wait_for(lock, longest, [&] { return closed_ || served_ >= wanted; });
  }
  // Nobody serves any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // The projector's thread. serve(): no batch is under way, the next ones follow what holds now.
  void serve() {
    const std::lock_guard lock(mutex_);
    served_ = number_.load();
    for (std::size_t i = 0; i < owned_.size(); ++i) serving_[i] = owned_[i];
    changed_.notify_all();
  }
  bool is_outdated() const { return number_ != served_; }
  bool serves(eventstore::ShardId shard) const { return serving_[shard.value]; }

 private:
  void set(std::span<const eventstore::ShardId> shards, bool own) {
    const std::lock_guard lock(mutex_);
    for (const auto shard : shards) owned_[shard.value] = own;
    ++number_;
  }

  std::vector<std::atomic<bool>> owned_;
  std::vector<bool> serving_;
  std::atomic<std::uint64_t> number_{0};  // of assignments
  std::atomic<std::uint64_t> served_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
};

}  // namespace annolog::projections
