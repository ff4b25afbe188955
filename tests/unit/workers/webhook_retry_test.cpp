// When deliveries are tried again.
#include "workers/webhooks/retry_schedule.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platform/settings.hpp"

namespace annolog::workers::webhook_retry_test {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

const RetrySchedule& schedule() {
  static const RetrySchedule made({5'000, 30'000, 120'000});
  return made;
}

struct Case {
  std::int64_t failed;
  double jitter;
  std::optional<std::int64_t> retry_after_s;
  std::optional<std::int64_t> delay_ms;
};

TEST(RetrySchedule, waits_longer_each_time_and_gives_up) {
  const Case cases[] = {
      {1, 0.5, {}, 5'000},
      {2, 0.5, {}, 30'000},
      {3, 0.5, {}, 120'000},
      {4, 0.5, {}, std::nullopt},
      {40, 0.5, {}, std::nullopt},
      {0, 0.5, {}, std::nullopt},
      {1, 0.0, {}, 4'000},
      {1, 1.0, {}, 6'000},
      {3, 0.0, {}, 96'000},
      {1, 0.5, 60, 60'000},
      {3, 0.5, 60, 120'000},
      {1, 0.5, 9 * 86'400, kDayMs},
      {1, 0.5, std::numeric_limits<std::int64_t>::max(), kDayMs},
      {1, 0.5, -5, 5'000},
      {4, 0.5, 60, std::nullopt},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(schedule().delay_ms(one.failed, one.jitter, one.retry_after_s), one.delay_ms)
        << one.failed << " " << one.jitter << " " << one.retry_after_s.value_or(0);
  }
}

TEST(RetrySchedule, without_delays_one_attempt_is_all) {
  EXPECT_EQ(RetrySchedule({}).delay_ms(1, 0.5, std::nullopt), std::nullopt);
}

// The default: ever longer waits, eleven attempts, and a day from the first to the last.
TEST(RetrySchedule, of_the_default_settings_goes_on_for_a_day) {
  std::vector<std::int64_t> delays_ms;
  for (const std::string& seconds : platform::Settings{}.webhook_retry_s)
    delays_ms.push_back(std::stoll(seconds) * 1000);
  const RetrySchedule schedule(delays_ms);
  std::int64_t last = 0;
  std::int64_t all = 0;
  std::int64_t attempts = 1;
  while (const auto delay = schedule.delay_ms(attempts, 0.5, std::nullopt)) {
    EXPECT_GT(*delay, last);
    all += last = *delay;
    ++attempts;
  }
  EXPECT_EQ(attempts, 11);
  EXPECT_NEAR(static_cast<double>(all), static_cast<double>(kDayMs), 0.01 * kDayMs);
}

}  // namespace
}  // namespace annolog::workers::webhook_retry_test
