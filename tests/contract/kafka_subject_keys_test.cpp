// Subject keys in Kafka: several nodes, one key a person; nothing in clear; gone when erased.
#include "eventstore/kafka/kafka_subject_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/key_wrapping.hpp"
#include "tests/contract/kafka_keys_topic.hpp"

namespace annolog::eventstore::kafka_subject_keys_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class KafkaSubjectKeys : public testing::Test {
 protected:
  void SetUp() override {
    topic_ = KafkaKeysTopic::make();
    if (topic_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
  }

  // What the subject's records in the topic are, oldest first.
  std::vector<KafkaKeysTopic::Stored> records_of(std::size_t candidates_before) const {
    auto all = topic_->stored();
    std::erase_if(all, [](const auto& each) { return each.key.starts_with("wrapping-key."); });
    return {all.begin() + static_cast<std::ptrdiff_t>(candidates_before), all.end()};
  }

  KafkaSubjectKeysOptions with_other_wrapping_key() const {
    KafkaSubjectKeysOptions options = topic_->options();
    options.wrapping_key.fill(8);
    return options;
  }

  std::unique_ptr<KafkaKeysTopic> topic_;
};

// Calls until it holds; within the second that is promised, with room for a busy machine.
testing::AssertionResult soon(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline)
      return testing::AssertionFailure() << "not within 30 s";
    std::this_thread::yield();
  }
  return testing::AssertionSuccess();
}

std::string as_text(const SubjectKey& key) { return {key.begin(), key.end()}; }

TEST_F(KafkaSubjectKeys, a_get_right_after_another_nodes_create_finds_it) {
  const auto here = topic_->open();
  const auto there = topic_->open();
  for (int i = 0; i < 50; ++i) {
    const std::string subject = "user/" + std::to_string(i);
    const SubjectKey key = there->create(subject);
    ASSERT_EQ(here->get(subject), key);
    ASSERT_EQ(here->create(subject), key);
  }
}

TEST_F(KafkaSubjectKeys, an_erasure_reaches_the_other_nodes) {
  const auto here = topic_->open();
  const auto there = topic_->open();
  const SubjectKey key = here->create("user/1");
  EXPECT_EQ(there->get("user/1"), key);
  here->erase("user/1");
  EXPECT_EQ(here->get("user/1"), std::nullopt);
  EXPECT_TRUE(soon([&] { return there->get("user/1") == std::nullopt; }));
  // And a new key after it, on the node that has seen both.
  const SubjectKey second = there->create("user/1");
  EXPECT_NE(second, key);
  EXPECT_TRUE(soon([&] { return here->get("user/1") == second; }));
}

TEST_F(KafkaSubjectKeys, a_key_made_after_it_was_asked_for_becomes_known) {
  const auto here = topic_->open();
  const auto there = topic_->open();
  EXPECT_EQ(here->get("user/1"), std::nullopt);
  const SubjectKey key = there->create("user/1");
  EXPECT_TRUE(soon([&] { return here->get("user/1") == key; }));
}

TEST_F(KafkaSubjectKeys, nodes_that_create_at_once_get_one_key) {
  constexpr int kRounds = 40;
  const std::vector<std::unique_ptr<SubjectKeys>> nodes = [&] {
    std::vector<std::unique_ptr<SubjectKeys>> opened;
    for (int i = 0; i < 3; ++i) opened.push_back(topic_->open());
    return opened;
  }();
  std::vector<std::vector<SubjectKey>> seen(nodes.size(), std::vector<SubjectKey>(kRounds));
  std::barrier together(static_cast<std::ptrdiff_t>(nodes.size()));
  std::vector<std::thread> threads;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    threads.emplace_back([&, node] {
      for (int round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        seen[node][static_cast<std::size_t>(round)] =
            nodes[node]->create("user/" + std::to_string(round));
      }
    });
  for (std::thread& thread : threads) thread.join();
  const auto later = topic_->open();
  for (int round = 0; round < kRounds; ++round) {
    const SubjectKey key = seen[0][static_cast<std::size_t>(round)];
    for (const auto& by_node : seen) EXPECT_EQ(by_node[static_cast<std::size_t>(round)], key);
    EXPECT_EQ(later->get("user/" + std::to_string(round)), key);
  }
  // Otherwise they were never at it at once, and this test has tested nothing.
  EXPECT_GT(records_of(0).size(), static_cast<std::size_t>(kRounds));
}

TEST_F(KafkaSubjectKeys, erasing_takes_the_losers_of_a_race_too) {
  const auto keys = topic_->open();
  const SubjectKey key = keys->create("user/1");
  const std::string record_key = records_of(0).at(0).key;
  const std::string name = record_key.substr(0, record_key.find('.'));
  const kafka::KeyWrapping wrapping(topic_->options().wrapping_key);
  for (const char* candidate : {"second", "third"}) {
    const std::string loser = kafka::candidate_key(name, candidate);
    topic_->write({loser, wrapping.wrap(loser, kafka::random_subject_key())});
  }
  EXPECT_EQ(keys->create("user/1"), key);
  EXPECT_EQ(topic_->open()->get("user/1"), key);
  keys->erase("user/1");
  EXPECT_EQ(keys->get("user/1"), std::nullopt);
  EXPECT_EQ(topic_->open()->get("user/1"), std::nullopt);
  EXPECT_EQ(records_of(3).size(), 3U) << "a tombstone each";
}

TEST_F(KafkaSubjectKeys, the_topic_holds_neither_keys_nor_subjects) {
  const auto keys = topic_->open();
  const SubjectKey key = keys->create("a-name-to-look-for");
  ASSERT_EQ(keys->get("a-name-to-look-for"), key);
  const auto all = topic_->stored();
  ASSERT_EQ(all.size(), 2U);
  for (const auto& each : all) {
    ASSERT_TRUE(each.value);
    for (const std::string& bytes : {each.key, *each.value}) {
      EXPECT_THAT(bytes, Not(HasSubstr(as_text(key))));
      EXPECT_THAT(bytes, Not(HasSubstr(as_text(topic_->options().wrapping_key))));
      EXPECT_THAT(bytes, Not(HasSubstr("a-name-to-look-for")));
    }
  }
}

TEST_F(KafkaSubjectKeys, an_erasure_outlives_a_restart_and_leaves_a_tombstone) {
  auto keys = topic_->open();
  const SubjectKey key = keys->create("user/1");
  keys->create("user/2");
  keys->erase("user/1");
  keys = topic_->open();
  EXPECT_EQ(keys->get("user/1"), std::nullopt);
  EXPECT_NE(keys->get("user/2"), std::nullopt);
  const auto records = records_of(0);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].key, records[0].key);
  EXPECT_EQ(records[2].value, std::nullopt);
  keys->erase("user/1");
  keys->erase("never seen");
  EXPECT_EQ(records_of(0).size(), 3U) << "what is gone is not erased again";
  EXPECT_NE(keys->create("user/1"), key);
}

TEST_F(KafkaSubjectKeys, another_wrapping_key_is_refused) {
  const auto opened_when_empty = open_kafka_subject_keys(with_other_wrapping_key());
  const auto keys = topic_->open();
  const SubjectKey key = keys->create("user/1");
  try {
    open_kafka_subject_keys(with_other_wrapping_key());
    FAIL() << "opened";
  } catch (const LogRefused& error) {
    EXPECT_THAT(error.what(), HasSubstr("another wrapping key"));
  }
  EXPECT_THROW(opened_when_empty->get("user/1"), LogRefused);
  EXPECT_THROW(opened_when_empty->create("user/1"), LogRefused);
  EXPECT_THROW(opened_when_empty->create("user/2"), LogRefused);
  EXPECT_EQ(keys->get("user/1"), key);
  EXPECT_EQ(keys->get("user/2"), std::nullopt);
}

TEST_F(KafkaSubjectKeys, a_damaged_or_moved_value_is_told_and_can_be_erased) {
  auto keys = topic_->open();
  keys->create("user/1");
  keys->create("user/2");
  const auto before = records_of(0);
  std::string damaged = before.at(0).value.value();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  topic_->write({before.at(0).key, damaged});
  topic_->write({before.at(1).key, before.at(0).value});
  topic_->write({"anything else", "foreign"});
  keys = topic_->open();
  for (const char* subject : {"user/1", "user/2"}) {
    EXPECT_THROW(keys->get(subject), LogCorrupted);
    EXPECT_THROW(keys->create(subject), LogCorrupted);
    keys->erase(subject);
    EXPECT_EQ(keys->get(subject), std::nullopt);
  }
}

TEST_F(KafkaSubjectKeys, a_segment_with_erased_keys_is_closed_by_an_append) {
  KafkaSubjectKeysOptions options = topic_->options();
  options.following.check_every = std::chrono::milliseconds(20);
  options.following.segment_time = std::chrono::milliseconds(300);
  const auto keys = open_kafka_subject_keys(options);
  keys->create("user/1");
  keys->erase("user/1");
  EXPECT_TRUE(soon([&] { return topic_->stored().back().key == "close-segment"; }));
  keys->create("user/2");
  EXPECT_NE(keys->get("user/2"), std::nullopt);
}

TEST_F(KafkaSubjectKeys, reading_the_topic_again_loses_nothing) {
  KafkaSubjectKeysOptions options = topic_->options();
  options.following.read_again_after = std::chrono::milliseconds(0);
  const auto here = open_kafka_subject_keys(options);
  const auto there = topic_->open();
  for (int i = 0; i < 10; ++i) {
    const std::string subject = "user/" + std::to_string(i);
    const SubjectKey key = i % 2 == 0 ? there->create(subject) : here->create(subject);
    ASSERT_EQ(here->get(subject), key);
    here->erase(subject);
    ASSERT_EQ(here->get(subject), std::nullopt);
  }
}

TEST_F(KafkaSubjectKeys, an_end_that_no_reader_sees_holds_nothing_up) {
  topic_->write_in_transaction({"foreign", "value"});
  const auto keys = topic_->open();
  const SubjectKey key = keys->create("user/1");
  EXPECT_EQ(topic_->open()->get("user/1"), key);
  EXPECT_EQ(keys->get("user/2"), std::nullopt);
}

TEST(KafkaSubjectKeysAway, a_cluster_that_does_not_answer_is_told) {
  KafkaSubjectKeysOptions options;
  options.connection.bootstrap = "127.0.0.1:1";
  options.topic = "none";
  options.open_timeout = std::chrono::milliseconds(200);
  EXPECT_THROW(open_kafka_subject_keys(options), LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::kafka_subject_keys_test
