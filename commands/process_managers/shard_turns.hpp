// Turns of the jobs in the shards that this process owns, for processes that go on step by step:
// who takes a job does one step of it and puts it back at the end, so that huge jobs do not hold up
// others. All members from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::commands {

// Two jobs are equal when they are the same work, whatever else they remember of it.
template <class Job>
class ShardTurns {
 public:
  using ShardOf = std::function<eventstore::ShardId(const Job&)>;

  explicit ShardTurns(ShardOf shard_of) : shard_of_(std::move(shard_of)) {}

  // With what earlier runs and owners left. May be told again.
  void own(eventstore::ShardId shard, std::vector<Job> found) {
    const std::lock_guard guard(mutex_);
    owned_.insert(shard);
    for (Job& job : found) add_locked(std::move(job));
  }

  void disown(eventstore::ShardId shard) {
    const std::lock_guard guard(mutex_);
    owned_.erase(shard);
    std::erase_if(jobs_, [&](const Job& job) { return shard_of_(job) == shard; });
  }

  // To the end, unless it waits there already. One that is in hand comes once more: what it was
  // added for may have happened behind the step's look.
  void add(Job job) {
    const std::lock_guard guard(mutex_);
    add_locked(std::move(job));
  }

  // Waits for one; nothing after finish().
  std::optional<Job> take() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return finishing_ || !jobs_.empty(); });
    if (finishing_) return std::nullopt;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  // For a further step, with what it remembers; forgotten when the shard was lost meanwhile.
  void put_back(Job job) {
    const std::lock_guard guard(mutex_);
    if (!owned_.contains(shard_of_(job))) return;
    std::erase(jobs_, job);
    add_locked(std::move(job));
  }

  // Before a step is tried again. finish() ends it.
  void rest(std::chrono::milliseconds delay) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, delay, [&] { return finishing_.load(); });
  }

  // No further job is taken.
  void finish() {
    const std::lock_guard guard(mutex_);
    finishing_ = true;
    changed_.notify_all();
  }
  const std::atomic<bool>& finishing() const { return finishing_; }

 private:
  void add_locked(Job job) {
    if (std::ranges::find(jobs_, job) != jobs_.end()) return;
    jobs_.push_back(std::move(job));
    // All: some may be resting.
    changed_.notify_all();
  }

  const ShardOf shard_of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> owned_;
  std::deque<Job> jobs_;
  std::atomic<bool> finishing_{false};
};

}  // namespace annolog::commands
