// Follows the log as far as the read models show it, and hands the frames of what happened to the
// sockets of this process: each node does so for its own, so nothing is lost with another one, and
// what a frame tells can be read wherever the reader asks. A thread of its own; the log is the
// queue, so being behind costs no memory. start() and stop() belong to one thread, on_shown() to
// any. Nothing throws after start().
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "api/realtime/interest.hpp"
#include "api/realtime/log_frames.hpp"
#include "api/realtime/notification_source.hpp"
#include "platform/clock.hpp"
#include "platform/metrics.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/read_barrier.hpp"

namespace annolog::api::realtime {

using Batch = std::shared_ptr<const std::vector<Delivery>>;

class Feed {
 public:
  using Publish = std::function<void(Batch batch)>;
  struct Parts {
    ReadRecords read;
    const FrameSource& frames;
    const projections::ReadBarrier& barrier;
    Interest& interest;
    NotificationSource& notifications;
    Publish publish;
    std::uint16_t shards = 0;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };
  explicit Feed(Parts parts);
  ~Feed() { stop(); }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // From what the read models show now, `shown` at least.
  void start(const projections::Positions& shown);
  void stop();
  // They show more of the shard. Quick.
  void on_shown(commands::ShardId shard);

 private:
  void run();
  // False: the log or the read models can't be asked now.
  bool follow(commands::ShardId shard);
  std::vector<Delivery> make(const std::vector<eventstore::Record>& records,
                             const Interest::Look& look);
  bool concerns_somebody(const eventstore::Record& record, const Interest::Look& look) const;
  void observe(const std::vector<eventstore::Record>& records,
               const std::vector<Delivery>& deliveries);
  void tell_lag() const;

  const Parts parts_;
  const platform::Histogram age_seconds_;
  const platform::Gauge lag_records_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<commands::ShardId> news_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::api::realtime
