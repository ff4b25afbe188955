// Which frames the records of the log make: what the feed and those who read again ask. Nothing but
// a function of the record, so that every node makes the same, at once or once more
// (docs/decisions/0029). Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/realtime/channel.hpp"
#include "api/realtime/frames.hpp"
#include "commands/state/record.hpp"

namespace annolog::api::realtime {

struct EventFrame {
  Channel channel;
  Frame frame;
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // For channels of which kinds events of the type may make frames, so that records which nobody
  // listens for need not be decoded. If task locks alone: that of the task in the record's subject.
  virtual ChannelKinds kinds_of(std::string_view event_type) const = 0;
  // Throws when the record can't be read.
  virtual std::vector<EventFrame> frames_of(const eventstore::Record& record) const = 0;
};

}  // namespace annolog::api::realtime
