// Makes thumbnails of ready images, in order of item, for the shards that this process owns. What
// is to be done is what the read model shows without a thumbnail or a failure, and every outcome is
// an event: a crash loses nothing, and a thumbnail that is made twice is recorded once. What can't
// be done now (no room, PostgreSQL away) is tried again later. A few threads that give way to
// others.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "commands/bus.hpp"
#include "domain/dataset/view.hpp"
#include "domain/events.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "platform/objects/object_store.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::workers {

class ThumbnailWorker {
 public:
  struct Parts {
    commands::CommandBus& bus;
    projections::ReadPool& reads;
    projections::ReadBarrier& barrier;
    platform::ObjectStore& objects;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };

  // 0 threads: it does nothing.
  ThumbnailWorker(const Parts& parts, std::size_t threads);
  ~ThumbnailWorker();
  ThumbnailWorker(const ThumbnailWorker&) = delete;
  ThumbnailWorker& operator=(const ThumbnailWorker&) = delete;

  void start();
  // No further image begins; those under way are waited for by stop(), so the bus must answer.
  void finish();
  void stop();

  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);
  // Of the shards owned: items that became ready.
  void on_event(eventstore::Position at, const Event& event);

 private:
  using Steady = std::chrono::steady_clock;

  void run();
  std::optional<ItemView> next();
  bool look_is_due() const;
  void look(std::unique_lock<std::mutex>& guard);
  std::vector<ItemView> find_after(ItemId after, const std::vector<std::int64_t>& shards,
                                   const std::map<eventstore::ShardId, eventstore::Offset>& seen);
  void take_in(std::vector<ItemView> found);
  void make(const ItemView& item);
  // The thumbnail's key, or why there can be none. Kind unavailable: not now.
  Result<std::string> make_object(const ItemView& item);
  Result<void> store(const std::string& key, const std::vector<std::uint8_t>& bytes);
  void record(const ItemView& item, const Result<std::string>& made);
  void drop_object(const std::string& key);
  void show_queue() const;

  const Parts parts_;
  const std::size_t thread_count_;
  platform::Counter made_;
  platform::Counter failed_;
  platform::Gauge waiting_;
  platform::Histogram seconds_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> owned_;
  std::map<eventstore::ShardId, eventstore::Offset> wanted_;  // a look must see it
  std::deque<ItemView> queue_;
  std::set<ItemId> in_hand_;
  ItemId reached_;
  Steady::time_point next_look_{};
  bool looking_ = false;
  bool woken_ = true;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace annolog::workers
