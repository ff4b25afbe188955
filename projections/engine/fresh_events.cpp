#include "projections/engine/fresh_events.hpp"

#include <algorithm>
#include <utility>

namespace annolog::projections {

void FreshEvents::put(eventstore::Position at, std::size_t bytes, Event event) {
  const std::lock_guard guard(mutex_);
  Shard& shard = shards_[at.shard.value];
  if (at.offset <= shard.passed || bytes > bytes_max_ - bytes_) return;
  bytes_ += bytes;
  shard.held.push_back({at.offset, bytes, std::move(event)});
}

std::optional<Event> FreshEvents::take(eventstore::Position at) {
  const std::lock_guard guard(mutex_);
  Shard& shard = shards_[at.shard.value];
  shard.passed = std::max(shard.passed, at.offset);
  std::optional<Event> found;
  while (!shard.held.empty() && shard.held.front().offset <= at.offset) {
    Held& front = shard.held.front();
    if (front.offset == at.offset) found = std::move(front.event);
    bytes_ -= front.bytes;
    shard.held.pop_front();
  }
  return found;
}

}  // namespace annolog::projections
