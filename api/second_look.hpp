// Before this node refuses what its directory doesn't know: the log is asked where it ends now, and
// the directory gets a moment to come there. Else a node that was frozen or cut off would tell its
// callers that what others have made does not exist; one that can't look says 503. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "commands/position.hpp"
#include "domain/support/result.hpp"
#include "platform/log.hpp"
#include "platform/thread_pool.hpp"
#include "projections/engine/read_barrier.hpp"

namespace annolog::api {

class SecondLook {
 public:
  using LatestEnd =
      std::function<commands::Offset(commands::ShardId shard, std::chrono::milliseconds longest)>;
  struct Parts {
    projections::ReadBarrier& barrier;
    platform::ThreadPool& threads;  // of its own: the log may be away, and asking it then takes
    platform::Logger& logger;
    LatestEnd latest_end;
    std::uint16_t shards = 0;
    std::chrono::milliseconds longest{2'000};
  };
  explicit SecondLook(Parts parts) : parts_(std::move(parts)), looks_(parts_.shards) {}

  // Returns when the read models have all that the shard held when it was called; 503 when that
  // takes more than `longest`.
  boost::asio::awaitable<Result<void>> at(commands::ShardId shard);

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    Clock::time_point began_at = Clock::time_point::min();
    commands::Offset end;
  };
  // Nothing when the log does not say.
  std::optional<commands::Offset> look(commands::ShardId shard, Clock::time_point asked_at);

  const Parts parts_;
  std::mutex mutex_;  // held while the log is asked: those who wait for it share the answer
  std::vector<Look> looks_;
};

}  // namespace annolog::api
