// What a log says of itself: whoever comes first decides, everybody gets the same.
#include "eventstore/kafka/log_names.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

#include "eventstore/errors.hpp"
#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_log_names_test {
namespace {

class KafkaLogNames : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ != nullptr) topic_ = scratch_->create_topic("log", 1);
  }
  std::string first(const std::string& name, const std::string& candidate) {
    return first_value(scratch_->connection, topic_, name, candidate, after(kLongWait));
  }
  std::string known(const std::string& name) {
    return known_value(scratch_->connection, topic_, name, after(kLongWait));
  }
  std::string topic_;
};

TEST_F(KafkaLogNames, the_first_candidate_is_the_value_for_ever) {
  EXPECT_EQ(known("log"), "");
  EXPECT_EQ(first("log", "one"), "one");
  EXPECT_EQ(first("log", "two"), "one");
  EXPECT_EQ(known("log"), "one");
  EXPECT_EQ(values_in(scratch_->connection, topic_, 0).size(), 1U) << "written once";
}

TEST_F(KafkaLogNames, names_are_apart) {
  EXPECT_EQ(first("log", "one"), "one");
  EXPECT_EQ(first("lo", "two"), "two");
  EXPECT_EQ(first("log ", "three"), "three");
  EXPECT_EQ(known("log"), "one");
  EXPECT_EQ(known("logs"), "");
}

TEST_F(KafkaLogNames, nodes_that_come_together_get_one_answer) {
  for (int round = 0; round < 3; ++round) {
    const std::string name = "name-" + std::to_string(round);
    std::vector<std::future<std::string>> nodes;
    for (int i = 0; i < 4; ++i)
      nodes.push_back(std::async(std::launch::async,
                                 [&, i] { return first(name, "node-" + std::to_string(i)); }));
    std::set<std::string> answers;
    for (auto& node : nodes) answers.insert(node.get());
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(known(name), *answers.begin());
  }
  EXPECT_EQ(values_in(scratch_->connection, topic_, 0).size(), 3U) << "each written once";
}

TEST_F(KafkaLogNames, a_cluster_that_is_not_there_is_unavailable) {
  EXPECT_THROW(
      first_value({"127.0.0.1:1"}, topic_, "log", "one", after(std::chrono::milliseconds(200))),
      LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_log_names_test
