#include "platform/clock.hpp"

#include <cassert>
#include <chrono>

namespace annolog::platform {

Timestamp SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()};
}

std::int64_t SystemClock::monotonic_ms() const {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count();
}

void ManualClock::advance(std::int64_t ms) {
  assert(ms >= 0);
  wall_ms_ += ms;
  monotonic_ms_ += ms;
}

}  // namespace annolog::platform
