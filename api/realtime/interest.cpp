#include "api/realtime/interest.hpp"

#include <algorithm>

namespace annolog::api::realtime {

using commands::Offset;
using commands::ShardId;

void Interest::pass_to(Shard& shard, Offset upto) {
  shard.passed = std::max(shard.passed, upto);
  shard.claimed = std::max(shard.claimed, upto);
}

Cursor Interest::everywhere(Offset Shard::* place) const {
  Cursor cursor;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const Offset at = shards_[i].*place;
    if (at > Offset{}) cursor.advance({ShardId(static_cast<std::uint16_t>(i)), at});
  }
  // A token names one place at least.
  if (cursor.positions().empty()) cursor.advance({ShardId{0}, Offset{}});
  return cursor;
}

Cursor Interest::claimed_in(const Channel& channel, ShardId home) const {
  if (rule_of(channel).from_all_shards) return everywhere(&Shard::claimed);
  Cursor cursor;
  cursor.advance({home, shards_.at(home.value).claimed});
  return cursor;
}

Interest::Counts& Interest::counts_of(const Channel& channel, ShardId home) {
  return rule_of(channel).from_all_shards ? everywhere_ : shards_.at(home.value).here;
}

Cursor Interest::listen(const Channel& channel, ShardId home) {
  const std::lock_guard guard(mutex_);
  ++listeners_[channel];
  ++counts_of(channel, home).at(static_cast<std::size_t>(channel.kind));
  return claimed_in(channel, home);
}

void Interest::leave(const Channel& channel, ShardId home) {
  const std::lock_guard guard(mutex_);
  if (const auto found = listeners_.find(channel); --found->second == 0) listeners_.erase(found);
  --counts_of(channel, home).at(static_cast<std::size_t>(channel.kind));
}

bool Interest::wants(const Channel& channel) const {
  const std::lock_guard guard(mutex_);
  return listeners_.contains(channel);
}

Cursor Interest::claimed(const Channel& channel, ShardId home) const {
  const std::lock_guard guard(mutex_);
  return claimed_in(channel, home);
}

Interest::Look Interest::look_at(const Shard& shard) const {
  ChannelKinds wanted;
  for (const ChannelRule& rule : channel_rules()) {
    const auto kind = static_cast<std::size_t>(rule.kind);
    if (shard.here.at(kind) + everywhere_.at(kind) > 0) wanted.add(rule.kind);
  }
  return {shard.passed, wanted};
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
  pass_to(shards_.at(shard.value), upto);
}

bool Interest::pass_over(ShardId shard, Offset upto) {
  const std::lock_guard guard(mutex_);
  Shard& known = shards_.at(shard.value);
  if (look_at(known).wanted.any()) return false;
  pass_to(known, upto);
  return true;
}

Cursor Interest::passed_everywhere() const {
  const std::lock_guard guard(mutex_);
  return everywhere(&Shard::passed);
}

}  // namespace annolog::api::realtime
