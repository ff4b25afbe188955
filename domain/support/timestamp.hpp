// An instant: milliseconds since 1970-01-01T00:00:00Z. The domain never asks for the time;
// it is told with every command.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annolog {

struct Timestamp {
  std::int64_t ms = 0;
  auto operator<=>(const Timestamp&) const = default;
};

constexpr Timestamp operator+(Timestamp at, std::int64_t ms) { return {at.ms + ms}; }
constexpr std::int64_t operator-(Timestamp a, Timestamp b) { return a.ms - b.ms; }

// RFC 3339 in UTC with milliseconds and Z, e.g. 2026-01-31T08:00:00.000Z. A time outside the years
// 0000 to 9999 becomes the nearest within.
std::string to_rfc3339(Timestamp at);
// Any RFC 3339 date-time with an offset (fraction cut to milliseconds); nullopt when it is not one,
// or when it lies outside the years 0000 to 9999 in UTC.
std::optional<Timestamp> from_rfc3339(std::string_view text);

}  // namespace annolog
