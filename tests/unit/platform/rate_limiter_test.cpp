#include "platform/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace annolog::platform::rate_limiter_test {
namespace {

TEST(RateLimiter, allows_the_limit_in_any_window_and_says_when_to_come_back) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 2, .window_ms = 60'000, .max_keys = 10});
  EXPECT_EQ(limiter.hit("ann").remaining, 1);
  clock.advance(20'000);
  EXPECT_EQ(limiter.hit("ann").remaining, 0);
  clock.advance(1);
  const RateDecision refused = limiter.hit("ann");
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after_s, 40);  // 39.999 s rounded up
  clock.advance(39'998);
  EXPECT_FALSE(limiter.hit("ann").allowed);
  EXPECT_EQ(limiter.peek("ann").retry_after_s, 1);
  clock.advance(1);
  EXPECT_TRUE(limiter.hit("ann").allowed);   // the first hit has left the window
  EXPECT_FALSE(limiter.hit("ann").allowed);  // the second has not
}

TEST(RateLimiter, a_refused_hit_does_not_prolong_the_wait) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1000, .max_keys = 10});
  EXPECT_TRUE(limiter.hit("ann").allowed);
  for (int i = 0; i < 9; ++i) {
    clock.advance(100);
    EXPECT_FALSE(limiter.hit("ann").allowed);
  }
  clock.advance(100);
  EXPECT_TRUE(limiter.hit("ann").allowed);
}

TEST(RateLimiter, keys_do_not_disturb_each_other) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1000, .max_keys = 10});
  EXPECT_TRUE(limiter.hit("ann").allowed);
  EXPECT_TRUE(limiter.hit("bob").allowed);
  EXPECT_FALSE(limiter.hit("ann").allowed);
}

TEST(RateLimiter, the_wall_clock_does_not_matter) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1000, .max_keys = 10});
  EXPECT_TRUE(limiter.hit("ann").allowed);
  clock.set_wall({clock.now().ms + 3'600'000});
  EXPECT_FALSE(limiter.hit("ann").allowed);
}

TEST(RateLimiter, peek_and_count_change_nothing_and_forget_clears) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 3, .window_ms = 1000, .max_keys = 10});
  EXPECT_TRUE(limiter.peek("ann").allowed);
  EXPECT_EQ(limiter.count("ann"), 0);
  limiter.hit("ann");
  limiter.hit("ann");
  EXPECT_EQ(limiter.peek("ann").remaining, 1);
  EXPECT_EQ(limiter.count("ann"), 2);
  limiter.forget("ann");
  limiter.forget("nobody");
  EXPECT_EQ(limiter.count("ann"), 0);
  limiter.hit("ann");
  clock.advance(1000);
  EXPECT_EQ(limiter.count("ann"), 0);
}

TEST(RateLimiter, holds_no_more_keys_than_it_may_and_forgets_the_least_recent) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1'000'000, .max_keys = 3});
  for (const char* key : {"a", "b", "c"}) limiter.hit(key);
  limiter.hit("a");  // refused, but a is the most recent now
  limiter.hit("d");
  EXPECT_EQ(limiter.keys(), 3U);
  EXPECT_EQ(limiter.count("a"), 1);
  EXPECT_EQ(limiter.count("b"), 0);
  for (int i = 0; i < 1000; ++i) limiter.hit(std::to_string(i));
  EXPECT_EQ(limiter.keys(), 3U);
}

TEST(RateLimiter, keys_that_have_left_the_window_make_room_by_themselves) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1000, .max_keys = 1000});
  for (int i = 0; i < 100; ++i) limiter.hit(std::to_string(i));
  clock.advance(1000);
  for (int i = 0; i < 100; ++i) limiter.hit("new " + std::to_string(i));
  EXPECT_EQ(limiter.keys(), 100U);
}

TEST(RateLimiter, long_keys_are_told_apart) {
  ManualClock clock;
  RateLimiter limiter(clock, {.limit = 1, .window_ms = 1000, .max_keys = 10});
  const std::string name(100'000, 'x');
  EXPECT_TRUE(limiter.hit(name).allowed);
  EXPECT_FALSE(limiter.hit(name).allowed);
  EXPECT_TRUE(limiter.hit(name + "y").allowed);
}

TEST(RateLimiter, needs_sensible_limits) {
  const ManualClock clock;
  EXPECT_THROW(RateLimiter(clock, {.limit = 0}), std::invalid_argument);
  EXPECT_THROW(RateLimiter(clock, {.limit = 1, .window_ms = 0}), std::invalid_argument);
  EXPECT_THROW(RateLimiter(clock, {.limit = 1, .window_ms = 1, .max_keys = 0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace annolog::platform::rate_limiter_test
