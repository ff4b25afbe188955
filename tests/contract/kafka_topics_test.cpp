// The topics of a log: made as they must be, and refused when they would lose or reorder events.
#include "eventstore/kafka/topics.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "eventstore/errors.hpp"
#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_topics_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint16_t kShardCount = 3;

class KafkaTopics : public KafkaScratchTest {
 protected:
  void ensure(std::int32_t replication = 1) {
    ensure_topics(scratch_->client, scratch_->names, {kShardCount, replication}, after(kLongWait));
  }
  // The topic as planned, but for one setting; all others as planned.
  void create_with(const std::string& topic, const TopicConfig& other) {
    for (TopicPlan plan : topic_plans(scratch_->names, kShardCount)) {
      if (plan.name != topic) continue;
      std::erase_if(plan.configs, [&](const auto& config) { return config.name == other.name; });
      plan.configs.push_back(other);
      scratch_->create(plan);
    }
  }
  void expect_refused(const std::string& topic, const TopicConfig& other, const std::string& must) {
    create_with(topic, other);
    try {
      ensure();
      ADD_FAILURE() << "taken: " << topic << " with " << other.name << "=" << other.value;
    } catch (const LogRefused& refused) {
      EXPECT_THAT(refused.what(),
                  AllOf(HasSubstr("topic " + topic), HasSubstr(other.name),
                        HasSubstr("is " + other.value), HasSubstr("must be " + must)));
    }
  }
};

TEST_F(KafkaTopics, what_is_missing_is_made_once) {
  const auto& names = scratch_->names;
  EXPECT_FALSE(has_topic(scratch_->client, names.events, after(kLongWait)));
  EXPECT_THROW(require_topics(scratch_->client, names, after(kLongWait)), LogRefused);
  ensure();
  for (const auto& plan : topic_plans(names, kShardCount))
    EXPECT_TRUE(has_topic(scratch_->client, plan.name, after(kLongWait))) << plan.name;
  require_topics(scratch_->client, names, after(kLongWait));
  ensure();
}

TEST_F(KafkaTopics, those_that_are_missing_join_those_that_are_there) {
  create_with(scratch_->names.events, {"retention.ms", "-1"});
  ensure();
  ensure();
}

TEST_F(KafkaTopics, another_number_of_shards_is_refused) {
  auto plan = topic_plans(scratch_->names, kShardCount).at(1);
  ASSERT_EQ(plan.name, scratch_->names.events);
  plan.partitions = kShardCount + 1;
  scratch_->create(plan);
  try {
    ensure();
    FAIL() << "taken";
  } catch (const LogRefused& refused) {
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("topic " + scratch_->names.events),
                                      HasSubstr("created with 4 shards, 3 were asked for")));
  }
}

TEST_F(KafkaTopics, fewer_replicas_than_asked_for_are_refused) {
  ensure(1);
  try {
    ensure(2);
    FAIL() << "taken";
  } catch (const LogRefused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("has 1 replicas, 2 were asked for"));
  }
}

TEST_F(KafkaTopics, more_replicas_than_brokers_come_are_waited_for_then_refused) {
  const auto began = std::chrono::steady_clock::now();
  const std::chrono::milliseconds wait(300);
  try {
    ensure_topics(scratch_->client, scratch_->names, {kShardCount, 9, wait}, after(kLongWait));
    FAIL() << "taken";
  } catch (const LogRefused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("can't be created: "));
    EXPECT_THAT(refused.what(), HasSubstr("eplication factor"));
    EXPECT_GE(std::chrono::steady_clock::now() - began, wait);
  }
}

TEST_F(KafkaTopics, what_a_smaller_cluster_made_is_measured_by_its_own_copies) {
  ensure(1);
  ensure(0);
}

TEST_F(KafkaTopics, events_that_would_be_forgotten_after_a_time_are_refused) {
  expect_refused(scratch_->names.events, {"retention.ms", "604800000"}, "-1");
}
TEST_F(KafkaTopics, events_that_would_be_forgotten_for_room_are_refused) {
  expect_refused(scratch_->names.events, {"retention.bytes", "1073741824"}, "-1");
}
TEST_F(KafkaTopics, events_that_would_be_compacted_are_refused) {
  expect_refused(scratch_->names.events, {"cleanup.policy", "compact"}, "delete");
}
TEST_F(KafkaTopics, events_too_large_for_their_topic_are_refused) {
  expect_refused(scratch_->names.events, {"max.message.bytes", "1048588"}, "at least 67108864");
}
TEST_F(KafkaTopics, commands_that_would_be_compacted_are_refused) {
  expect_refused(scratch_->names.commands, {"cleanup.policy", "compact,delete"}, "delete");
}
TEST_F(KafkaTopics, commands_that_are_forgotten_too_soon_are_refused) {
  expect_refused(scratch_->names.commands, {"retention.ms", "86399999"}, "at least 86400000");
}
TEST_F(KafkaTopics, commands_too_large_for_their_topic_are_refused) {
  expect_refused(scratch_->names.commands, {"max.message.bytes", "67108863"}, "at least 67108864");
}
TEST_F(KafkaTopics, replies_that_are_forgotten_too_soon_are_refused) {
  expect_refused(scratch_->names.replies, {"retention.ms", "1000"}, "at least 3600000");
}
TEST_F(KafkaTopics, a_log_topic_that_forgets_is_refused) {
  expect_refused(scratch_->names.log, {"cleanup.policy", "delete"}, "compact");
}
TEST_F(KafkaTopics, keys_that_would_be_deleted_are_refused) {
  expect_refused(scratch_->names.subject_keys, {"cleanup.policy", "delete"}, "compact");
}
TEST_F(KafkaTopics, keys_that_would_stay_after_an_erasure_are_refused) {
  expect_refused(scratch_->names.subject_keys, {"max.compaction.lag.ms", "7200000"}, "3600000");
}

TEST_F(KafkaTopics, more_than_at_least_is_fine_and_so_is_no_end) {
  create_with(scratch_->names.commands, {"retention.ms", "-1"});
  create_with(scratch_->names.replies, {"retention.ms", "86400000"});
  create_with(scratch_->names.realtime, {"max.message.bytes", "134217728"});
  ensure();
}

TEST_F(KafkaTopics, nodes_that_start_together_make_them_together) {
  std::vector<std::thread> nodes;
  std::atomic<int> made{0};
  for (int i = 0; i < 4; ++i)
    nodes.emplace_back([&] {
      const Client client(RD_KAFKA_PRODUCER, scratch_->connection, {});
      EXPECT_NO_THROW(ensure_topics(client, scratch_->names, {kShardCount, 1}, after(kLongWait)));
      ++made;
    });
  for (auto& node : nodes) node.join();
  EXPECT_EQ(made, 4);
}

TEST_F(KafkaTopics, a_cluster_that_is_not_there_is_unavailable) {
  const Client nobody(RD_KAFKA_PRODUCER, {"127.0.0.1:1"}, {});
  EXPECT_THROW(ensure_topics(nobody, scratch_->names, {kShardCount, 1},
                             after(std::chrono::milliseconds(200))),
               LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_topics_test
