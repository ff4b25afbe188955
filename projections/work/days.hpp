// What work is counted, and the days by which it is. Plain values.
#pragma once

#include <compare>
#include <cstdint>

#include <boost/describe/enum.hpp>

#include "domain/support/timestamp.hpp"

namespace annolog::projections {

enum class WorkAction : std::uint8_t { submitted, approved, rejected };
BOOST_DESCRIBE_ENUM(WorkAction, submitted, approved, rejected)

// Of UTC.
struct Day {
  std::int64_t number = 0;  // since 1970-01-01
  auto operator<=>(const Day&) const = default;
};

inline constexpr std::int64_t kDayMs = 86'400'000;

constexpr Day day_of(Timestamp at) {
  return {at.ms >= 0 ? at.ms / kDayMs : (at.ms - (kDayMs - 1)) / kDayMs};
}

}  // namespace annolog::projections
