#include "eventstore/for_each_shard.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace annolog::eventstore {
namespace {

class Shards {
 public:
  Shards(std::uint16_t count, const std::function<void(ShardId)>& work)
      : count_(count), work_(work) {}

  void work_off() {
    try {
      for (std::uint32_t at = next_++; at < count_; at = next_++)
        work_(ShardId(static_cast<std::uint16_t>(at)));
    } catch (...) {
      next_ = count_;
      const std::lock_guard guard(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  void end() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::uint32_t count_;
  const std::function<void(ShardId)>& work_;
  std::atomic<std::uint32_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void for_each_shard(std::uint16_t shard_count, const std::function<void(ShardId)>& work) {
  Shards shards(shard_count, work);
  {
    const std::size_t others = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                                       std::max<std::size_t>(1, shard_count)) -
                               1;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < others; ++i) threads.emplace_back([&] { shards.work_off(); });
    shards.work_off();
  }
  shards.end();
}

}  // namespace annolog::eventstore
