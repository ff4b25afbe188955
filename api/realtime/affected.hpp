// Whose sockets an event may end, or take channels from. Pure; any thread.
#pragma once

#include <optional>

#include "domain/events.hpp"

namespace annolog::api::realtime {

// One of the two.
struct Affected {
  UserId user;
  ProjectId project;
};

std::optional<Affected> affected_by(const Event& event);

}  // namespace annolog::api::realtime
