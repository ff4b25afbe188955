// Who listens to what, over all I/O threads, and up to where the feed has come: so that records
// which nobody listens for are passed over, and a new listener misses nothing and gets nothing
// twice. Any thread; one short lock.
//
// The feed claims some records, makes their frames without the lock for who listens by then, and
// passes. A listener that comes is told up to where it claimed: all behind that will reach it, and
// it takes nothing from before. So however many come and go, the feed goes on.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "api/realtime/channel.hpp"
#include "api/realtime/cursor.hpp"

namespace annolog::api::realtime {

class Interest {
 public:
  explicit Interest(std::uint16_t shards) : shards_(shards) {}

  // `home`: the shard whose records make the channel's frames; of channels that come from all
  // shards it is not looked at. One more listener; from where on it hears.
  Cursor listen(const Channel& channel, commands::ShardId home);
  void leave(const Channel& channel, commands::ShardId home);
  bool wants(const Channel& channel) const;

  // For replays: how far the feed claimed, in the shards of the channel.
  Cursor claimed(const Channel& channel, commands::ShardId home) const;

  // For the feed, one thread.
  struct Look {
    commands::Offset passed;
    ChannelKinds wanted;  // somebody listens to such a channel, of this shard or of all
  };
  Look look(commands::ShardId shard) const;
  // Frames up to there are made next, for who listens now. May be claimed again when that failed.
  Look claim(commands::ShardId shard, commands::Offset upto);
  // All up to there goes to the I/O threads now, or need not.
  void pass(commands::ShardId shard, commands::Offset upto);
  // The same of what concerns nobody. False: somebody listens.
  bool pass_over(commands::ShardId shard, commands::Offset upto);
  // Where everything is passed to, by shard; what is at its beginning is left out.
  Cursor passed_everywhere() const;

 private:
  using Counts = std::array<std::uint32_t, kChannelKinds>;  // listeners; index: kind of channel
  struct Shard {
    commands::Offset passed;
    commands::Offset claimed;  // never before `passed`
    Counts here{};             // to channels of this shard
  };
  Counts& counts_of(const Channel& channel, commands::ShardId home);
  Look look_at(const Shard& shard) const;
  static void pass_to(Shard& shard, commands::Offset upto);
  Cursor everywhere(commands::Offset Shard::* place) const;
  Cursor claimed_in(const Channel& channel, commands::ShardId home) const;

  mutable std::mutex mutex_;
  std::vector<Shard> shards_;
  Counts everywhere_{};  // to channels of all shards
  std::unordered_map<Channel, std::uint32_t> listeners_;
};

}  // namespace annolog::api::realtime
