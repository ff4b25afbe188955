#include "platform/seldom_warnings.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace annolog::platform::seldom_warnings_test {
namespace {

class SeldomWarningsTest : public ::testing::Test {
 protected:
  ManualClock clock_{Timestamp{1'769'846'400'000}};
  std::vector<std::string> lines_;
  Logger logger_{clock_, LogLevel::info,
                 [this](std::string_view line) { lines_.emplace_back(line); }};
  SeldomWarnings warnings_{logger_, clock_, "kafka", {.limit = 2, .window_ms = 60'000}};
};

TEST_F(SeldomWarningsTest, those_that_are_alike_are_said_so_often_in_a_while) {
  for (int i = 0; i < 5; ++i) warnings_.warn("the broker is away");
  EXPECT_EQ(lines_.size(), 2U);
  clock_.advance(60'000);
  warnings_.warn("the broker is away");
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_NE(lines_.back().find(R"("msg":"kafka","detail":"the broker is away")"),
            std::string::npos);
}

TEST_F(SeldomWarningsTest, others_are_not_kept_back_by_them) {
  for (int i = 0; i < 5; ++i) warnings_.warn("broker 1 is away");
  warnings_.warn("broker 2 is away");
  EXPECT_EQ(lines_.size(), 3U);
}

TEST_F(SeldomWarningsTest, a_thread_a_client_and_a_count_make_no_difference) {
  EXPECT_EQ(alike("FAIL: [thrd:10.0.0.1:9092/1]: 10.0.0.1:9092/1: Connection refused (after 0ms)"),
            alike("FAIL: [thrd:10.0.0.1:9092/bootstrap]: 10.0.0.1:9092/1: Connection refused "
                  "(after 2ms in state CONNECT, 1 identical error(s) suppressed)"));
  EXPECT_EQ(alike("annolog#producer-19: 10.0.0.1:9092/1: down"),
            alike("annolog#producer-7: 10.0.0.1:9092/1: down"));
  EXPECT_NE(alike("10.0.0.1:9092/1: down"), alike("10.0.0.2:9092/2: down"));
}

}  // namespace
}  // namespace annolog::platform::seldom_warnings_test
