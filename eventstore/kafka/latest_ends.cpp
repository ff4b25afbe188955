#include "eventstore/kafka/latest_ends.hpp"

#include <thread>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/last_records.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::chrono::milliseconds kLookStep{2};

}  // namespace

Offset LatestEnds::of(ShardId shard, Deadline deadline) {
  const std::unique_lock lock(mutex_, deadline);
  if (!lock) throw LogUnavailable(topic_ + ": others ask for its ends, and get no answer");
  if (!readers_) readers_.emplace(connection_, topic_, deadline);
  const std::int64_t end = readers_->all.end(shard.value, deadline);
  Known& known = known_[shard];
  if (known.end == end) return known.last;
  // A commit is acknowledged before its marks are written, and only they make it visible.
  while (readers_->committed.end(shard.value, deadline) < end) {
    if (ms_until(deadline) == 0)
      throw LogUnavailable(topic_ + ": a transaction before its end is open still");
    std::this_thread::sleep_for(kLookStep);
  }
  const auto last = last_records(readers_->committed, {&shard, 1}, deadline).front();
  known = {end, last.record ? last.record->position.offset : Offset{}};
  return known.last;
}

}  // namespace annolog::eventstore::kafka
