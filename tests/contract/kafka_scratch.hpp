// Topics of a test's own in the Kafka cluster that ANNOLOG_TEST_KAFKA names, deleted at its end.
// Tests only.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/topics.hpp"

namespace annolog::eventstore::kafka {

inline constexpr std::chrono::seconds kLongWait{30};

class KafkaScratch {
 public:
  // Nothing when the variable is not set; then ANNOLOG_REQUIRE_KAFKA makes it an error.
  static std::unique_ptr<KafkaScratch> make() {
    const char* bootstrap = std::getenv("ANNOLOG_TEST_KAFKA");
    if (bootstrap != nullptr) return std::make_unique<KafkaScratch>(bootstrap);
    EXPECT_EQ(std::getenv("ANNOLOG_REQUIRE_KAFKA"), nullptr) << "Kafka tests are required here";
    return nullptr;
  }
  explicit KafkaScratch(const std::string& bootstrap)
      : connection{bootstrap},
        prefix(fresh_prefix()),
        names(prefix),
        client(RD_KAFKA_PRODUCER, connection, {}) {}
  ~KafkaScratch() { delete_topics(); }
  KafkaScratch(const KafkaScratch&) = delete;
  KafkaScratch& operator=(const KafkaScratch&) = delete;

  void create(const TopicPlan& plan) const {
    std::array<char, 256> why{};
    auto* topic =
        rd_kafka_NewTopic_new(plan.name.c_str(), plan.partitions, 1, why.data(), why.size());
    for (const TopicConfig& config : plan.configs)
      rd_kafka_NewTopic_set_config(topic, config.name.c_str(), config.value.c_str());
    const Queue queue(rd_kafka_queue_new(client.get()));
    rd_kafka_CreateTopics(client.get(), &topic, 1, nullptr, queue.get());
    auto* event = rd_kafka_queue_poll(queue.get(), kAdminWaitMs);
    ASSERT_NE(event, nullptr);
    std::size_t count = 0;
    const auto* results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    EXPECT_EQ(rd_kafka_topic_result_error(results[0]), RD_KAFKA_RESP_ERR_NO_ERROR)
        << rd_kafka_topic_result_error_string(results[0]);
    rd_kafka_event_destroy(event);
    rd_kafka_NewTopic_destroy(topic);
    known_topic(client, plan.name, after(kLongWait));
  }
  // A plain topic `<prefix>.<name>`; gives its name.
  std::string create_topic(const std::string& name, std::int32_t partitions) const {
    const std::string topic = prefix + "." + name;
    create({topic, partitions, {}});
    return topic;
  }

  const Connection connection;
  const std::string prefix;
  const TopicNames names;
  const Client client;

 private:
  static constexpr int kAdminWaitMs = 15'000;

  static std::string fresh_prefix() {
    static std::atomic<int> made{0};
    return "scratch-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  }

  void delete_topics() const {
    const rd_kafka_metadata_t* metadata = nullptr;
    if (rd_kafka_metadata(client.get(), 1, nullptr, &metadata, kAdminWaitMs) !=
        RD_KAFKA_RESP_ERR_NO_ERROR)
      return;
    std::vector<rd_kafka_DeleteTopic_t*> topics;
    for (int i = 0; i < metadata->topic_cnt; ++i)
      if (std::string_view(metadata->topics[i].topic).starts_with(prefix + "."))
        topics.push_back(rd_kafka_DeleteTopic_new(metadata->topics[i].topic));
    rd_kafka_metadata_destroy(metadata);
    if (topics.empty()) return;
    const Queue queue(rd_kafka_queue_new(client.get()));
    rd_kafka_DeleteTopics(client.get(), topics.data(), topics.size(), nullptr, queue.get());
    if (auto* event = rd_kafka_queue_poll(queue.get(), kAdminWaitMs)) rd_kafka_event_destroy(event);
    rd_kafka_DeleteTopic_destroy_array(topics.data(), topics.size());
  }
};

class KafkaScratchTest : public testing::Test {
 protected:
  void SetUp() override {
    scratch_ = KafkaScratch::make();
    if (scratch_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
  }
  std::unique_ptr<KafkaScratch> scratch_;
};

// The values of all committed messages of a partition.
inline std::vector<std::string> values_in(const Connection& connection, const std::string& topic,
                                          std::int32_t partition) {
  std::vector<std::string> values;
  read_whole(connection, topic, partition, after(kLongWait), [&](const rd_kafka_message_t& m) {
    values.emplace_back(static_cast<const char*>(m.payload), m.len);
  });
  return values;
}

}  // namespace annolog::eventstore::kafka
