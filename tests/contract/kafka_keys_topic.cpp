#include "tests/contract/kafka_keys_topic.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "eventstore/kafka/acked_writer.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore {
namespace {

using kafka::after;
constexpr std::chrono::seconds kDeadline{30};
constexpr int kDeleteWaitMs = 10'000;

std::string fresh_prefix() {
  static std::atomic<int> made{0};
  return "contract-keys-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
}

std::string text(const void* bytes, std::size_t size) {
  return {static_cast<const char*>(bytes), size};
}

void delete_topics(const kafka::Client& client, const std::vector<kafka::TopicPlan>& plans) {
  std::vector<rd_kafka_DeleteTopic_t*> topics;
  for (const auto& plan : plans) topics.push_back(rd_kafka_DeleteTopic_new(plan.name.c_str()));
  const kafka::Queue queue(rd_kafka_queue_new(client.get()));
  rd_kafka_DeleteTopics(client.get(), topics.data(), topics.size(), nullptr, queue.get());
  rd_kafka_event_destroy(rd_kafka_queue_poll(queue.get(), kDeleteWaitMs));
  rd_kafka_DeleteTopic_destroy_array(topics.data(), topics.size());
}

}  // namespace

std::unique_ptr<KafkaKeysTopic> KafkaKeysTopic::make() {
  const char* bootstrap = std::getenv("ANNOLOG_TEST_KAFKA");
  if (bootstrap != nullptr) return std::make_unique<KafkaKeysTopic>(bootstrap);
  EXPECT_EQ(std::getenv("ANNOLOG_REQUIRE_KAFKA"), nullptr) << "Kafka tests are required here";
  return nullptr;
}

KafkaKeysTopic::KafkaKeysTopic(const std::string& bootstrap)
    : connection_{bootstrap}, names_(fresh_prefix()), client_(RD_KAFKA_PRODUCER, connection_, {}) {
  kafka::ensure_topics(client_, names_, {.shards = 1, .replication = 1}, after(kDeadline));
}

KafkaKeysTopic::~KafkaKeysTopic() { delete_topics(client_, kafka::topic_plans(names_, 1)); }

KafkaSubjectKeysOptions KafkaKeysTopic::options() const {
  KafkaSubjectKeysOptions options;
  options.connection = connection_;
  options.topic = names_.subject_keys;
  options.wrapping_key.fill(7);
  return options;
}

std::vector<KafkaKeysTopic::Stored> KafkaKeysTopic::stored() const {
  std::vector<Stored> records;
  kafka::read_whole(connection_, names_.subject_keys, 0, after(kDeadline), [&](const auto& m) {
    records.push_back({text(m.key, m.key_len), {}});
    if (m.payload != nullptr) records.back().value = text(m.payload, m.len);
  });
  return records;
}

void KafkaKeysTopic::write(const Stored& record) const {
  kafka::AckedWriter writer(connection_, names_.subject_keys, kDeadline, after(kDeadline));
  const auto written =
      writer.write(record.key, record.value ? &*record.value : nullptr, after(kDeadline));
  if (!written.offset) throw std::runtime_error(written.failure);
}

void KafkaKeysTopic::write_in_transaction(const Stored& record) const {
  const std::string& topic = names_.subject_keys;
  kafka::TransactionalProducer producer(connection_, topic, kDeadline, after(kDeadline));
  const auto result = producer.run({{topic, 0, record.key, record.value}}, {}, after(kDeadline));
  ASSERT_EQ(result.outcome, kafka::TransactionOutcome::committed) << result.detail;
}

}  // namespace annolog::eventstore
