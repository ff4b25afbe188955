// How far the log has come and how far behind it the read models are. Fed by the log's commits and
// by the projector; any thread. Times are monotonic milliseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "eventstore/record.hpp"
#include "projections/engine/read_barrier.hpp"

namespace annolog::projections {

class LogProgress {
 public:
  LogProgress(std::uint16_t shard_count, const ReadBarrier& barrier)
      : ends_(shard_count), barrier_(&barrier) {}

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
  std::atomic<std::int64_t> behind_since_ms_{-1};  // -1: not behind
};

}  // namespace annolog::projections
