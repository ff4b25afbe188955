// When and how long a failed call waits before it is tried again. Pure but for the jitter's seed.
// Retry-After: RFC 9110, 10.2.3 (seconds or an HTTP date).
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

namespace annolog::client {

inline constexpr int kAttemptsMax = 8;
inline constexpr std::chrono::milliseconds kFirstDelay{250};
inline constexpr std::chrono::milliseconds kDelayMax{30'000};
inline constexpr std::chrono::milliseconds kRetryAfterMax{300'000};

// 408, 429, 502, 503 and 504: the same request may succeed later.
bool is_retriable(int status);

// The wait before attempt `attempt` (2, 3, …): what Retry-After asks, at most kRetryAfterMax;
// without it exponential, with the upper half drawn from `random`.
std::chrono::milliseconds retry_delay(int attempt, std::optional<std::chrono::seconds> retry_after,
                                      std::uint32_t random);

// nullopt when it is neither a number of seconds nor an HTTP date; a past date is zero.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::time_t now_s);

}  // namespace annolog::client
