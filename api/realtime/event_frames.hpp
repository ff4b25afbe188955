// Which frames an event of the log makes: nothing but a function of the record, so that every node
// makes the same, at once or again for those who missed them (docs/decisions/0029). Pure; any
// thread.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "api/realtime/channel.hpp"
#include "api/realtime/frames.hpp"
#include "domain/events.hpp"
#include "domain/identity/context.hpp"

namespace annolog::api::realtime {

struct EventFrame {
  Channel channel;
  Frame frame;
};

std::vector<EventFrame> frames_of(const Event& event, const Happened& how);

// What kind of channel events of a type may make frames for, so that records which nobody listens
// for need not be decoded. An event of a task lock is about the task that its subject names.
enum class FrameKind : std::uint8_t { none, annotation, task_lock };
FrameKind frame_kind_of(std::string_view event_type);

}  // namespace annolog::api::realtime
