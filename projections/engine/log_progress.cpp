#include "projections/engine/log_progress.hpp"

#include <algorithm>

namespace annolog::projections {

using eventstore::ShardId;

void LogProgress::on_end(ShardId shard, eventstore::Offset end, std::int64_t now_ms) {
  auto& known = ends_[shard.value];
  std::uint64_t before = known.load();
  while (before < end.value && !known.compare_exchange_weak(before, end.value)) {
  }
  std::int64_t none = -1;
  behind_since_ms_.compare_exchange_strong(none, now_ms);
}

void LogProgress::on_applied(std::int64_t age_ms, std::int64_t now_ms) {
  behind_since_ms_ = lag_records() == 0 ? -1 : now_ms - std::max<std::int64_t>(0, age_ms);
}

std::uint64_t LogProgress::lag_records() const {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (!counts_(ShardId{static_cast<std::uint16_t>(i)})) continue;
    const std::uint64_t applied = barrier_->applied(ShardId{static_cast<std::uint16_t>(i)}).value;
    const std::uint64_t end = ends_[i].load();
    if (end > applied) missing += end - applied;
  }
  return missing;
}

std::int64_t LogProgress::lag_ms(std::int64_t now_ms) const {
  const std::int64_t since = behind_since_ms_;
  return since < 0 || lag_records() == 0 ? 0 : std::max<std::int64_t>(0, now_ms - since);
}

}  // namespace annolog::projections
