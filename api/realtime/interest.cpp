#include "api/realtime/interest.hpp"

#include <algorithm>

namespace annolog::api::realtime {

using commands::Offset;
using commands::ShardId;

Cursor Interest::passed_in(const Channel& channel, ShardId home) const {
  Cursor cursor;
  if (!rule_of(channel).from_all_shards) {
    cursor.advance({home, shards_.at(home.value).passed});
    return cursor;
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const ShardId shard(static_cast<std::uint16_t>(i));
    if (shards_[i].passed > Offset{}) cursor.advance({shard, shards_[i].passed});
  }
  // A token names one place at least.
  if (cursor.positions().empty()) cursor.advance({ShardId{0}, Offset{}});
  return cursor;
}

Cursor Interest::listen(const Channel& channel, ShardId home) {
  const std::lock_guard guard(mutex_);
  ++listeners_[channel];
  if (rule_of(channel).from_all_shards) {
    ++everywhere_;
    ++begun_everywhere_;
  } else {
    Shard& shard = shards_.at(home.value);
    ++shard.here;
    ++shard.begun;
    if (channel.kind == Channel::Kind::annotation) ++shard.annotations;
  }
  return passed_in(channel, home);
}

void Interest::leave(const Channel& channel, ShardId home) {
  const std::lock_guard guard(mutex_);
  if (const auto found = listeners_.find(channel); --found->second == 0) listeners_.erase(found);
  if (rule_of(channel).from_all_shards) {
    --everywhere_;
    return;
  }
  Shard& shard = shards_.at(home.value);
  --shard.here;
  if (channel.kind == Channel::Kind::annotation) --shard.annotations;
}

bool Interest::wants(const Channel& channel) const {
  const std::lock_guard guard(mutex_);
  return listeners_.contains(channel);
}

Cursor Interest::passed(const Channel& channel, ShardId home) const {
  const std::lock_guard guard(mutex_);
  return passed_in(channel, home);
}

Interest::Look Interest::look(ShardId shard) const {
  const std::lock_guard guard(mutex_);
  const Shard& known = shards_.at(shard.value);
  return {known.passed, known.here + everywhere_ > 0, known.annotations > 0,
          known.begun + begun_everywhere_};
}

bool Interest::pass(ShardId shard, Offset upto, const Look& seen) {
  const std::lock_guard guard(mutex_);
  Shard& known = shards_.at(shard.value);
  if (known.begun + begun_everywhere_ != seen.listeners) return false;
  known.passed = std::max(known.passed, upto);
  return true;
}

Cursor Interest::passed_everywhere() const {
  const std::lock_guard guard(mutex_);
  return passed_in({Channel::Kind::prediction_jobs, 0}, ShardId{});
}

}  // namespace annolog::api::realtime
