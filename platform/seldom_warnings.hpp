// Warnings of a library that says the same again and again as long as something is away: of those
// that are alike, so many in a while are logged. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "platform/log.hpp"
#include "platform/rate_limiter.hpp"

namespace annolog::platform {

// Without what differs from one to the next: what stands in brackets, and the numbers of clients
// ("producer-19:").
std::string alike(std::string_view warning);

class SeldomWarnings {
 public:
  // Each line is `message` with the warning as its `detail`. Logger and clock must outlive it.
  SeldomWarnings(Logger& logger, const Clock& clock, std::string message,
                 RateLimit limit = {.limit = 3, .window_ms = 60'000, .max_keys = 1'000});
  void warn(std::string_view warning);

 private:
  Logger& logger_;
  const std::string message_;
  RateLimiter said_;
};

}  // namespace annolog::platform
