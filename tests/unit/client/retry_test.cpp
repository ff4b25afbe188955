#include "app/client/retry.hpp"

#include <gtest/gtest.h>

namespace annolog::client::retry_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::time_t kNow = 1'792'396'800;  // 2026-10-19T08:00:00Z

TEST(RetryAfter, seconds_are_taken) { EXPECT_EQ(parse_retry_after("17", kNow), seconds{17}); }

TEST(RetryAfter, a_date_counts_from_now) {
  EXPECT_EQ(parse_retry_after("Mon, 19 Oct 2026 08:01:30 GMT", kNow), seconds{90});
}

TEST(RetryAfter, a_past_date_is_now) {
  EXPECT_EQ(parse_retry_after("Mon, 19 Oct 2020 08:00:00 GMT", kNow), seconds{0});
}

TEST(RetryAfter, anything_else_is_nothing) {
  EXPECT_EQ(parse_retry_after("soon", kNow), std::nullopt);
  EXPECT_EQ(parse_retry_after("-5", kNow), std::nullopt);
  EXPECT_EQ(parse_retry_after("", kNow), std::nullopt);
}

TEST(RetryDelay, doubles_and_keeps_its_upper_half_at_least) {
  for (int attempt = 2; attempt < 8; ++attempt) {
    const auto full = kFirstDelay * (1 << (attempt - 2));
    EXPECT_EQ(retry_delay(attempt, std::nullopt, 0), full / 2);
    EXPECT_LE(retry_delay(attempt, std::nullopt, 0xffffffffu), full);
  }
}

TEST(RetryDelay, never_passes_its_limit) {
  EXPECT_LE(retry_delay(1000, std::nullopt, 0xffffffffu), kDelayMax);
  EXPECT_EQ(retry_delay(2, seconds{999'999}, 0), kRetryAfterMax);
}

TEST(RetryDelay, what_the_service_asks_for_wins) {
  EXPECT_EQ(retry_delay(2, seconds{3}, 12345), milliseconds{3000});
}

TEST(RetryDelay, only_passing_troubles_are_retried) {
  for (const int status : {408, 429, 502, 503, 504}) EXPECT_TRUE(is_retriable(status));
  for (const int status : {200, 400, 401, 403, 404, 409, 422, 500}) {
    EXPECT_FALSE(is_retriable(status));
  }
}

}  // namespace
}  // namespace annolog::client::retry_test
