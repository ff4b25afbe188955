#include "projections/engine/memory_projector.hpp"

#include <chrono>
#include <utility>

#include "domain/codec/events.hpp"
#include "platform/named_thread.hpp"

namespace annolog::projections {
namespace {

constexpr std::chrono::milliseconds kRetry{200};

}  // namespace

MemoryProjector::MemoryProjector(eventstore::EventLog& log, platform::Logger& logger,
                                 std::unordered_set<std::string> types, OnEvent on_event,
                                 OnReached reached)
    : log_(log),
      logger_(logger),
      types_(std::move(types)),
      on_event_(std::move(on_event)),
      on_reached_(std::move(reached)) {}

void MemoryProjector::start(Positions from) {
  positions_ = std::move(from);
  subscription_ = log_.subscribe([this](eventstore::ShardId shard, eventstore::Offset) {
    const std::lock_guard guard(mutex_);
    news_.insert(shard);
    changed_.notify_one();
  });
  {
    const std::lock_guard guard(mutex_);
    for (std::uint16_t i = 0; i < log_.shard_count(); ++i) news_.insert(eventstore::ShardId(i));
  }
  thread_ = platform::named_thread("directory", [this] { run(); });
}

void MemoryProjector::stop() {
  subscription_.reset();
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void MemoryProjector::run() {
  for (;;) {
    std::set<eventstore::ShardId> news;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return stopping_ || !news_.empty(); });
      if (stopping_) return;
      news.swap(news_);
    }
    for (const eventstore::ShardId shard : news) {
      try {
        follow(shard);
      } catch (const std::exception& error) {
        logger_.warn("the log can't be followed, trying again",
                     {{"shard", shard.value}, {"error", error.what()}});
        std::unique_lock guard(mutex_);
        news_.insert(shard);
        changed_.wait_for(guard, kRetry, [&] { return stopping_; });
      }
    }
  }
}

void MemoryProjector::follow(eventstore::ShardId shard) {
  eventstore::Offset& at = positions_[shard.value];
  for (;;) {
    const auto records = log_.read(shard, at, {});
    for (const auto& record : records) {
      const auto& headers = record.headers;
      if (types_.contains(headers.type)) {
        try {
          on_event_(record.position,
                    codec::decode_event(headers.type, headers.schema_version, record.data));
        } catch (const std::exception& error) {
          logger_.error("an event can't be followed", {{"shard", shard.value},
                                                       {"offset", record.position.offset.value},
                                                       {"error", error.what()}});
        }
      }
      at = record.position.offset;
    }
    on_reached_(shard, at);
    if (records.empty()) return;
  }
}

}  // namespace annolog::projections
