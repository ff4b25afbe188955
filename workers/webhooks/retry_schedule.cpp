#include "workers/webhooks/retry_schedule.hpp"

#include <algorithm>

namespace annolog::workers {
namespace {

constexpr double kSpread = 0.2;
constexpr std::int64_t kDayS = 24LL * 3600;

}  // namespace

std::optional<std::int64_t> RetrySchedule::delay_ms(
    std::int64_t failed, double jitter, std::optional<std::int64_t> retry_after_s) const {
  if (failed < 1 || failed > static_cast<std::int64_t>(delays_ms_.size())) return std::nullopt;
  const auto planned = static_cast<double>(delays_ms_[static_cast<std::size_t>(failed - 1)]);
  const auto delay = static_cast<std::int64_t>(planned * (1 - kSpread + 2 * kSpread * jitter));
  return std::max(delay, 1000 * std::clamp<std::int64_t>(retry_after_s.value_or(0), 0, kDayS));
}

}  // namespace annolog::workers
