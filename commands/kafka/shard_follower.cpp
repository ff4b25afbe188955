#include "commands/kafka/shard_follower.hpp"

#include <chrono>

#include "commands/runtime.hpp"
#include "eventstore/for_each_shard.hpp"
#include "platform/named_thread.hpp"

namespace annolog::commands {
namespace {

// What comes within it is folded together.
constexpr std::chrono::milliseconds kGather{20};
constexpr std::chrono::milliseconds kSettleTime{15'000};

}  // namespace

void ShardFollower::start() {
  subscription_ = log_.subscribe([this](eventstore::ShardId shard, eventstore::Offset) {
    const std::lock_guard guard(mutex_);
    news_.insert(shard);
    changed_.notify_one();
  });
  eventstore::for_each_shard(log_.shard_count(),
                             [this](eventstore::ShardId shard) { fold(shard); });
  thread_ = platform::named_thread("follower", [this] { run(); });
}

void ShardFollower::stop() {
  subscription_.reset();
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ShardFollower::fold(eventstore::ShardId shard) {
  ShardSlot& slot = table_[shard];
  const std::lock_guard guard(slot.folding);
  if (!slot.is(Tenure::owned)) fold_to_end(log_, shard);
}

void ShardFollower::settle(std::span<const eventstore::ShardId> shards) {
  const std::lock_guard guard(mutex_);
  unsettled_.insert(unsettled_.end(), shards.begin(), shards.end());
  changed_.notify_all();
}

void ShardFollower::settle_now(const std::vector<eventstore::ShardId>& shards) {
  try {
    if (!shards.empty()) log_.take_over(shards, eventstore::kafka::after(kSettleTime));
  } catch (const std::exception& error) {
    logger_.warn("what an earlier writer left is open still", {{"error", error.what()}});
  }
}

void ShardFollower::run() {
  for (;;) {
    std::set<eventstore::ShardId> news;
    std::vector<eventstore::ShardId> unsettled;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return stopping_ || !news_.empty() || !unsettled_.empty(); });
      if (unsettled_.empty()) changed_.wait_for(guard, kGather, [&] { return stopping_; });
      if (stopping_) return;
      news.swap(news_);
      unsettled.swap(unsettled_);
    }
    settle_now(unsettled);
    for (const eventstore::ShardId shard : news) {
      try {
        fold(shard);
      } catch (const std::exception& error) {
        // The shard's next news, or whoever takes it over, tries again.
        logger_.warn("a shard can't be followed",
                     {{"shard", shard.value}, {"error", error.what()}});
      }
    }
  }
}

}  // namespace annolog::commands
