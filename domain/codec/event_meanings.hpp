// What each event type says, in one sentence for those who read the log: docs/events.md and the
// AsyncAPI document. Thread-safe.
#pragma once

#include <string_view>

namespace annolog::codec {

// Empty for an unknown type; a test sees to it that every type of the catalogue has one.
std::string_view event_meaning(std::string_view type);

}  // namespace annolog::codec
