// Whether all brokers are heard. Against a real one that is not: tests/fault/test_kafka_network.py.
#include "eventstore/kafka/leader_watch.hpp"

#include <gtest/gtest.h>

#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_leader_watch_test {
namespace {

using namespace std::chrono_literals;

class SilenceTest : public testing::Test {
 protected:
  static constexpr Deadline kStart{1h};
  Silence silence_{15s};
};

TEST_F(SilenceTest, counts_who_was_silent_for_long_enough) {
  silence_.note({{1, false}, {2, true}}, kStart);
  EXPECT_EQ(silence_.count(kStart + 14s), 0);
  silence_.note({{1, false}, {2, false}}, kStart + 14s);
  EXPECT_EQ(silence_.count(kStart + 15s), 1);
  EXPECT_EQ(silence_.count(kStart + 29s), 2);
}

TEST_F(SilenceTest, one_answer_is_enough) {
  silence_.note({{1, false}}, kStart);
  silence_.note({{1, true}}, kStart + 20s);
  EXPECT_EQ(silence_.count(kStart + 20s), 0);
  silence_.note({{1, false}}, kStart + 24s);
  EXPECT_EQ(silence_.count(kStart + 30s), 0);
}

TEST_F(SilenceTest, who_leads_nothing_any_more_does_not_count) {
  silence_.note({{1, false}, {2, true}}, kStart);
  silence_.note({{2, true}, {3, true}}, kStart + 10s);
  EXPECT_EQ(silence_.count(kStart + 20s), 0);
}

TEST_F(SilenceTest, stays_as_it_is_while_nobody_says_who_leads) {
  silence_.note({{1, false}}, kStart);
  silence_.note({}, kStart + 10s);
  EXPECT_EQ(silence_.count(kStart + 15s), 1);
}

class KafkaLeaderWatch : public KafkaScratchTest {};

TEST_F(KafkaLeaderWatch, hears_leaders_that_answer_however_short_its_patience) {
  const std::string topic = scratch_->create_topic("events", 3);
  const LeaderWatch watch({scratch_->connection, topic, 5ms, 0ms});
  const Deadline end = after(500ms);
  while (ms_until(end) > 0) ASSERT_TRUE(watch.hears_all());
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_leader_watch_test
