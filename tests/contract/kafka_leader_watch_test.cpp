// Whether all brokers are heard. That one is not: tests/fault/test_kafka_network.py.
#include "eventstore/kafka/leader_watch.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka {
namespace {

using namespace std::chrono_literals;

class KafkaLeaderWatch : public KafkaScratchTest {};

TEST_F(KafkaLeaderWatch, hears_leaders_that_answer_however_short_its_patience) {
  const std::string topic = scratch_->create_topic("events", 3);
  const LeaderWatch watch({scratch_->connection, topic, 5ms, 0ms});
  const Deadline end = after(500ms);
  while (ms_until(end) > 0) ASSERT_TRUE(watch.hears_all());
}

TEST_F(KafkaLeaderWatch, leaves_a_cluster_that_is_away_to_the_groups_sessions) {
  const LeaderWatch watch({Connection{"127.0.0.1:1"}, "events", 5ms, 0ms});
  const Deadline end = after(3s);
  while (ms_until(end) > 0) ASSERT_TRUE(watch.hears_all());
}

TEST_F(KafkaLeaderWatch, ends_at_once) {
  const Deadline end = after(kLongWait);
  {
    const LeaderWatch watch({scratch_->connection, "not-there", 1h, 0ms});
  }
  EXPECT_GT(ms_until(end), 0);
}

}  // namespace
}  // namespace annolog::eventstore::kafka
