// Which frames the events of the log make. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/realtime/frame_source.hpp"
#include "domain/events.hpp"
#include "domain/identity/context.hpp"

namespace annolog::api::realtime {

std::vector<EventFrame> frames_of(const Event& event, const Happened& how);

class EventFrames final : public FrameSource {
 public:
  ChannelKinds kinds_of(std::string_view event_type) const override;
  std::vector<EventFrame> frames_of(const eventstore::Record& record) const override;
};

}  // namespace annolog::api::realtime
