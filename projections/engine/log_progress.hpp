// How far the log has come and how far behind it the read models are. Fed by the log's commits and
// by the projector; any thread. Times are monotonic milliseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "eventstore/record.hpp"
#include "projections/engine/read_barrier.hpp"

namespace annolog::projections {

class LogProgress {
 public:
  // Counts the shards that `counts` says yes to.
  LogProgress(std::uint16_t shard_count, const ReadBarrier& barrier,
              std::function<bool(eventstore::ShardId)> counts)
      : ends_(shard_count), barrier_(&barrier), counts_(std::move(counts)) {}

  void on_end(eventstore::ShardId shard, eventstore::Offset end, std::int64_t now_ms);
  eventstore::Offset end(eventstore::ShardId shard) const {
    return eventstore::Offset{ends_[shard.value].load()};
  }

  // A batch went in whose last record was `age_ms` old.
  void on_applied(std::int64_t age_ms, std::int64_t now_ms);

  std::uint64_t lag_records() const;
  std::int64_t lag_ms(std::int64_t now_ms) const;

 private:
  std::vector<std::atomic<std::uint64_t>> ends_;
  const ReadBarrier* barrier_;
  std::function<bool(eventstore::ShardId)> counts_;
  std::atomic<std::int64_t> behind_since_ms_{-1};  // -1: not behind
};

}  // namespace annolog::projections
