#include "app/client/retry.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <string>

#include "domain/support/number.hpp"

namespace annolog::client {

using std::chrono::milliseconds;

bool is_retriable(int status) {
  return status == 408 || status == 429 || status == 502 || status == 503 || status == 504;
}

milliseconds retry_delay(int attempt, std::optional<std::chrono::seconds> retry_after,
                         std::uint32_t random) {
  if (retry_after) {
    return std::clamp(std::chrono::duration_cast<milliseconds>(*retry_after), milliseconds{0},
                      kRetryAfterMax);
  }
  const int doublings = std::clamp(attempt - 2, 0, 16);
  const auto full = std::min(kFirstDelay * (1 << doublings), kDelayMax);
  const auto half = full / 2;
  return half + milliseconds{static_cast<std::int64_t>(random) % (half.count() + 1)};
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::time_t now_s) {
  if (const auto seconds = number_from<std::int64_t>(value)) {
    if (*seconds < 0) return std::nullopt;
    return std::chrono::seconds{std::min<std::int64_t>(*seconds, 1'000'000)};
  }
  const std::time_t date = curl_getdate(std::string(value).c_str(), nullptr);
  if (date == -1) return std::nullopt;
  return std::chrono::seconds{std::max<std::int64_t>(0, date - now_s)};
}

}  // namespace annolog::client
