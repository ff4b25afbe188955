#include "platform/clock.hpp"

#include <gtest/gtest.h>

namespace annolog::platform::clock_test {
namespace {

TEST(ManualClock, moves_only_when_told) {
  ManualClock clock({1000});
  const auto start_ms = clock.monotonic_ms();
  EXPECT_EQ(clock.now(), Timestamp{1000});
  clock.advance(25);
  EXPECT_EQ(clock.now(), Timestamp{1025});
  EXPECT_EQ(clock.monotonic_ms(), start_ms + 25);
  clock.set_wall({10});
  EXPECT_EQ(clock.now(), Timestamp{10});
  EXPECT_EQ(clock.monotonic_ms(), start_ms + 25);
}

TEST(SystemClock, knows_this_century_and_never_goes_back) {
  const SystemClock clock;
  EXPECT_GT(clock.now().ms, 1'700'000'000'000);
  std::int64_t last_ms = clock.monotonic_ms();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now_ms = clock.monotonic_ms();
    EXPECT_GE(now_ms, last_ms);
    last_ms = now_ms;
  }
}

}  // namespace
}  // namespace annolog::platform::clock_test
