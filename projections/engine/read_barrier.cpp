#include "projections/engine/read_barrier.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "platform/named_thread.hpp"

namespace annolog::projections {

using eventstore::Offset;
using eventstore::ShardId;

struct ReadBarrier::Impl {
  // A waiter is in two orders: by offset in its shard, by deadline over all.
  using Timers = std::multimap<Deadline, std::pair<std::uint16_t, std::uint64_t>>;
  struct Waiter {
    Callback callback;
    Timers::iterator timer;
    std::uint64_t number;
    Hurry hurry;
  };
  using Waiters = std::multimap<Offset, Waiter>;
  struct Shard {
    std::atomic<std::uint64_t> applied{0};
    std::atomic<Deadline> stale_from{Deadline::max()};
    std::atomic<bool> settled{false};  // nobody has looked
    Waiters waiters;
  };

  Impl(std::uint16_t shard_count, std::chrono::milliseconds longest)
      : longest_behind(longest), shards(shard_count) {}

  void run_timers();

  const std::chrono::milliseconds longest_behind;
  mutable std::mutex mutex;
  std::condition_variable timer_changed;
  std::vector<Shard> shards;
  Timers timers;
  std::size_t in_a_hurry = 0;  // of the waiters
  std::uint64_t next_number = 0;
  std::atomic<bool> lost{false};
  bool closed = false;
  std::function<void()> on_wait;
  std::function<void(ShardId)> on_set;
  std::thread thread;

  // Takes out all waiters. The mutex is held.
  std::vector<Callback> take_all();
};

// Calls back those whose deadline has passed.
void ReadBarrier::Impl::run_timers() {
  std::unique_lock lock(mutex);
  while (!closed) {
    if (timers.empty()) {
      timer_changed.wait(lock, [&] { return closed || !timers.empty(); });
      continue;
    }
    const Deadline first = timers.begin()->first;
    if (std::chrono::steady_clock::now() < first) {
      timer_changed.wait_until(lock, first);
      continue;
    }
    const auto [shard, number] = timers.begin()->second;
    timers.erase(timers.begin());
    Waiters& waiters = shards[shard].waiters;
    Callback late;
    for (auto at = waiters.begin(); at != waiters.end(); ++at) {
      if (at->second.number != number) continue;
      late = std::move(at->second.callback);
      if (at->second.hurry == Hurry::yes) --in_a_hurry;
      waiters.erase(at);
      break;
    }
    lock.unlock();
    if (late) late(false);
    lock.lock();
  }
}

ReadBarrier::ReadBarrier(std::uint16_t shard_count, std::chrono::milliseconds longest_behind)
    : impl_(std::make_unique<Impl>(shard_count, longest_behind)) {
  impl_->thread = platform::named_thread("barrier", [impl = impl_.get()] { impl->run_timers(); });
}

ReadBarrier::~ReadBarrier() {
  close();
  impl_->thread.join();
}

Offset ReadBarrier::applied(ShardId shard) const {
  return Offset{impl_->shards.at(shard.value).applied.load(std::memory_order_acquire)};
}

bool ReadBarrier::reached(eventstore::Position position) const {
  return !impl_->lost.load(std::memory_order_acquire) && applied(position.shard) >= position.offset;
}

void ReadBarrier::when_reached(ShardId shard, Offset offset, Deadline deadline, Callback callback,
                               Hurry hurry) {
  Impl::Shard& state = impl_->shards.at(shard.value);
  bool is_there = reached({shard, offset});
  if (!is_there) {
    const std::lock_guard lock(impl_->mutex);
    is_there = reached({shard, offset});
    const bool may_come = !impl_->closed && !impl_->lost;
    if (!is_there && may_come && std::chrono::steady_clock::now() < deadline) {
      const std::uint64_t number = impl_->next_number++;
      const auto timer = impl_->timers.emplace(deadline, std::pair{shard.value, number});
      state.waiters.emplace(offset, Impl::Waiter{std::move(callback), timer, number, hurry});
      if (timer == impl_->timers.begin()) impl_->timer_changed.notify_one();
      if (hurry == Hurry::no) return;
      ++impl_->in_a_hurry;
      if (impl_->on_wait) impl_->on_wait();
      return;
    }
  }
  callback(is_there);
}

bool ReadBarrier::wait(ShardId shard, Offset offset, Deadline deadline) {
  if (reached({shard, offset})) return true;
  // Shared: the callback may still be inside notify_one() when this function returns.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<bool> answer;
  };
  const auto state = std::make_shared<State>();
  when_reached(shard, offset, deadline, [state](bool reached) {
    const std::lock_guard lock(state->mutex);
    state->answer = reached;
    state->changed.notify_one();
  });
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock, [&] { return state->answer.has_value(); });
  return *state->answer;
}

std::size_t ReadBarrier::waiting() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->in_a_hurry;
}

void ReadBarrier::on_wait(std::function<void()> callback) {
  const std::lock_guard lock(impl_->mutex);
  impl_->on_wait = std::move(callback);
}

void ReadBarrier::on_set(std::function<void(ShardId)> callback) {
  impl_->on_set = std::move(callback);
}

void ReadBarrier::set(ShardId shard, Offset applied) {
  std::vector<Callback> woken;
  {
    const std::lock_guard lock(impl_->mutex);
    Impl::Shard& state = impl_->shards.at(shard.value);
    state.applied.store(applied.value, std::memory_order_release);
    while (!state.waiters.empty() && state.waiters.begin()->first <= applied) {
      auto first = state.waiters.begin();
      if (first->second.hurry == Hurry::yes) --impl_->in_a_hurry;
      impl_->timers.erase(first->second.timer);
      woken.push_back(std::move(first->second.callback));
      state.waiters.erase(first);
    }
  }
  for (Callback& callback : woken) callback(true);
  if (impl_->on_set) impl_->on_set(shard);
}

void ReadBarrier::behind_others(ShardId shard, bool is) {
  auto& stale_from = impl_->shards.at(shard.value).stale_from;
  if (!is) {
    stale_from = Deadline::max();
  } else if (stale_from.load() == Deadline::max()) {
    stale_from = std::chrono::steady_clock::now() + impl_->longest_behind;
  }
}

ReadBarrier::Deadline ReadBarrier::stale_from(ShardId shard) const {
  return impl_->shards.at(shard.value).stale_from;
}

bool ReadBarrier::is_stale(ShardId shard) const {
  return std::chrono::steady_clock::now() >= stale_from(shard);
}

std::size_t ReadBarrier::stale_shards() const {
  const auto now = std::chrono::steady_clock::now();
  return static_cast<std::size_t>(std::ranges::count_if(
      impl_->shards, [now](const Impl::Shard& shard) { return now >= shard.stale_from.load(); }));
}

void ReadBarrier::set_settled(ShardId shard, bool is) {
  impl_->shards.at(shard.value).settled.store(is, std::memory_order_release);
}

bool ReadBarrier::is_settled(ShardId shard) const {
  return impl_->shards.at(shard.value).settled.load(std::memory_order_acquire);
}

bool ReadBarrier::all_settled() const {
  return std::ranges::all_of(impl_->shards, [](const Impl::Shard& shard) {
    return shard.settled.load(std::memory_order_acquire);
  });
}

std::vector<ReadBarrier::Callback> ReadBarrier::Impl::take_all() {
  std::vector<Callback> taken;
  for (Shard& shard : shards) {
    for (auto& [offset, waiter] : shard.waiters) taken.push_back(std::move(waiter.callback));
    shard.waiters.clear();
  }
  timers.clear();
  in_a_hurry = 0;
  timer_changed.notify_all();
  return taken;
}

void ReadBarrier::lose() {
  std::vector<Callback> woken;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->lost = true;
    woken = impl_->take_all();
  }
  for (Callback& callback : woken) callback(false);
}

void ReadBarrier::regain() {
  const std::lock_guard lock(impl_->mutex);
  impl_->lost = false;
}

void ReadBarrier::close() {
  std::vector<Callback> woken;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->closed = true;
    woken = impl_->take_all();
  }
  for (Callback& callback : woken) callback(false);
}

}  // namespace annolog::projections
