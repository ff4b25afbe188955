#include "api/realtime/interest.hpp"

#include <algorithm>
#include <utility>

namespace annolog::api::realtime {

using commands::Offset;
using commands::ShardId;

namespace {

// A token names one place at least.
Cursor with_a_place(Cursor cursor) {
  if (cursor.positions().empty()) cursor.advance({ShardId{0}, Offset{}});
  return cursor;
}

}  // namespace

Cursor Interest::claimed_in(const Channel& channel, ShardId home) const {
  Cursor cursor;
  if (!rule_of(channel).from_all_shards) {
    cursor.advance({home, shards_.at(home.value).claimed});
    return cursor;
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const ShardId shard(static_cast<std::uint16_t>(i));
    if (shards_[i].claimed > Offset{}) cursor.advance({shard, shards_[i].claimed});
  }
  return with_a_place(std::move(cursor));
}

Cursor Interest::listen(const Channel& channel, ShardId home) {
  const std::lock_guard guard(mutex_);
  ++listeners_[channel];
  if (rule_of(channel).from_all_shards) {
    ++everywhere_;
  } else {
    Shard& shard = shards_.at(home.value);
    ++shard.here;
    if (channel.kind == Channel::Kind::annotation) ++shard.annotations;
  }
  return claimed_in(channel, home);
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
  return claimed_in(channel, home);
}

Interest::Look Interest::look_at(const Shard& shard) const {
  return {shard.passed, shard.here + everywhere_ > 0, shard.annotations > 0};
}

Interest::Look Interest::look(ShardId shard) const {
  const std::lock_guard guard(mutex_);
  return look_at(shards_.at(shard.value));
}

Interest::Look Interest::claim(ShardId shard, Offset upto) {
  const std::lock_guard guard(mutex_);
  Shard& known = shards_.at(shard.value);
  known.claimed = std::max(known.claimed, upto);
  return look_at(known);
}

void Interest::pass(ShardId shard, Offset upto) {
  const std::lock_guard guard(mutex_);
  Shard& known = shards_.at(shard.value);
  known.passed = std::max(known.passed, upto);
  known.claimed = std::max(known.claimed, upto);
}

bool Interest::pass_over(ShardId shard, Offset upto) {
  const std::lock_guard guard(mutex_);
  Shard& known = shards_.at(shard.value);
  if (known.here + everywhere_ > 0) return false;
  known.passed = std::max(known.passed, upto);
  known.claimed = std::max(known.claimed, upto);
  return true;
}

Cursor Interest::passed_everywhere() const {
  const std::lock_guard guard(mutex_);
  Cursor cursor;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (shards_[i].passed > Offset{})
      cursor.advance({ShardId(static_cast<std::uint16_t>(i)), shards_[i].passed});
  }
  return with_a_place(std::move(cursor));
}

}  // namespace annolog::api::realtime
