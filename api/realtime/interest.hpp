// Who listens to what, over all I/O threads, and up to where the feed has come: so that records
// which nobody listens for are passed over, and a new listener misses nothing and gets nothing
// twice. Any thread; one short lock.
//
// A listener that comes is told where the feed is (`passed`): all behind that will reach it. The
// feed makes its frames without the lock, so it asks again when it has them: pass() refuses when
// somebody has begun to listen meanwhile, and the frames are made once more.
#pragma once

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

  // For replays: how far the feed is now, in the shards of the channel.
  Cursor passed(const Channel& channel, commands::ShardId home) const;

  // For the feed, one thread.
  struct Look {
    commands::Offset passed;
    bool anybody = false;         // listens in the shard
    bool annotations = false;     // to a channel of annotations there
    std::uint64_t listeners = 0;  // that have ever begun there
  };
  Look look(commands::ShardId shard) const;
  // All up to there has been handed to the I/O threads, or need not be. False: somebody has begun
  // to listen since `seen`.
  bool pass(commands::ShardId shard, commands::Offset upto, const Look& seen);
  // Where everything is passed to, by shard; what is at its beginning is left out.
  Cursor passed_everywhere() const;

 private:
  struct Shard {
    commands::Offset passed;
    std::uint32_t here = 0;         // listeners to channels of this shard
    std::uint32_t annotations = 0;  // of them, to those of annotations
    std::uint64_t begun = 0;
  };
  Cursor passed_in(const Channel& channel, commands::ShardId home) const;

  mutable std::mutex mutex_;
  std::vector<Shard> shards_;
  std::uint32_t everywhere_ = 0;  // listeners to channels of all shards
  std::uint64_t begun_everywhere_ = 0;
  std::unordered_map<Channel, std::uint32_t> listeners_;
};

}  // namespace annolog::api::realtime
