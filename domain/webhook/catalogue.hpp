// What webhooks can be told: the names of outbound events, and the patterns that choose among them.
// A pattern is a name, a family (`task.*`), or `*` for all. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annolog {

struct OutboundEvent {
  std::string_view name;
  std::string_view of;       // type of the domain event that it tells of
  std::string_view meaning;  // one sentence for those who receive it
};

// In the order in which one domain event becomes several. A ping is not among them: it is sent to
// who asks for it.
std::span<const OutboundEvent> outbound_events();

inline constexpr std::string_view kPing = "ping";

bool is_event_pattern(std::string_view pattern);
bool matches_pattern(std::string_view pattern, std::string_view event);
bool matches_any(const std::vector<std::string>& patterns, std::string_view event);
// All that is_event_pattern() takes, for refusals.
std::vector<std::string> event_patterns();

}  // namespace annolog
