// Frames from records of the log: the one way by which they come, live or for a replay. Pure but
// for the log's own reading; any thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/realtime/frame_source.hpp"
#include "commands/position.hpp"
#include "platform/log.hpp"

namespace annolog::api::realtime {

// The log, as far as sockets need it: `most` records behind `after` at most, in their order. Throws
// what EventLog::read() throws.
using ReadRecords = std::function<std::vector<eventstore::Record>(
    commands::ShardId shard, commands::Offset after, std::size_t most)>;

// A frame on its way to those who listen to its channel.
struct Delivery {
  Channel channel;
  commands::Position at;  // of the event that it was made of
  std::shared_ptr<const FrameText> text;
};

using Wanted = std::function<bool(const Channel& channel)>;

// Appends the record's frames on channels that are wanted. Of several on one channel only the last
// one names the record's own position: whoever got the first and then reconnects gets all of them
// again. `reached`: what listeners have by then of other shards, for channels of all of them. What
// can't be read is logged and passed over.
void add_frames_of(const eventstore::Record& record, const FrameSource& source,
                   const Wanted& wanted, const Cursor& reached, platform::Logger& logger,
                   std::vector<Delivery>& deliveries);

// The task that a record is about; 0: another thing.
std::int64_t task_of(const eventstore::Record& record);

// Where a frame stands that others of the same event follow.
Cursor before(commands::Position at);

}  // namespace annolog::api::realtime
