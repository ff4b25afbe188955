#include "tests/contract/kafka_under_test.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "eventstore/chain.hpp"
#include "eventstore/kafka/kafka_import.hpp"
#include "eventstore/kafka/kafka_log.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/record_check.hpp"
#include "eventstore/record_codec.hpp"
#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore {
namespace {

using kafka::after;
constexpr std::chrono::seconds kClusterDeadline{30};

std::string stored_form(const Record& record) {
  std::string stored;
  encode_record(record.headers, record.data, record.last_of_command, stored);
  stored.append(as_bytes(record.chain));
  return stored;
}

class KafkaUnderTest final : public LogUnderTest {
 public:
  explicit KafkaUnderTest(std::string bootstrap) : connection_{std::move(bootstrap)} {}

  std::unique_ptr<EventLog> open(std::uint16_t shard_count) override {
    KafkaLogOptions options;
    options.connection = connection_;
    options.topic_prefix = prefix_;
    options.writer_id = prefix_;
    options.shard_count = shard_count;
    options.state_folder = folder_.path();
    return open_kafka_log(options);
  }

  // What a topic holds can't be altered in place: its altered copy takes its place.
  void damage(Position position, const std::function<void(std::string&)>& change) override {
    const kafka::TopicNames from(prefix_);
    prefix_ = fresh_prefix();
    const kafka::TopicNames to(prefix_);
    const kafka::Client client(RD_KAFKA_PRODUCER, connection_, {});
    kafka::ensure_topics(client, to, {kShards, 1}, after(kClusterDeadline));
    std::vector<kafka::Message> messages;
    for (std::uint16_t shard = 0; shard < kShards; ++shard)
      kafka::read_whole(connection_, from.events, shard, after(kClusterDeadline),
                        [&](const auto& message) {
                          messages.push_back(altered(message, to.events, position, change));
                        });
    kafka::read_whole(connection_, from.log, 0, after(kClusterDeadline), [&](const auto& message) {
      messages.push_back(
          {to.log, 0, text(message.key, message.key_len), text(message.payload, message.len)});
    });
    kafka::TransactionalProducer producer(connection_, prefix_, kClusterDeadline,
                                          after(kClusterDeadline));
    ASSERT_EQ(producer.run(messages, {}, after(kClusterDeadline)).outcome,
              kafka::TransactionOutcome::committed);
  }
  std::unique_ptr<EventLog> open_without_checks(std::uint16_t shard_count) override {
    return open(shard_count);
  }
  std::unique_ptr<RecordImport> open_import(const LogInfo& info) override {
    return open_kafka_import({.connection = connection_, .topic_prefix = prefix_}, info);
  }

 private:
  static std::string fresh_prefix() {
    static std::atomic<int> made{0};
    return "contract-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
  }

  static std::string text(const void* bytes, std::size_t size) {
    return {static_cast<const char*>(bytes), size};
  }

  kafka::Message altered(const rd_kafka_message_t& message, const std::string& topic,
                         Position position, const std::function<void(std::string&)>& change) {
    Record record = kafka::to_record(message).value();
    if (record.position != position) return kafka::to_message(record, topic, {"/test", prefix_});
    std::string stored = stored_form(record);
    change(stored);
    const auto parts = split_stored(stored);
    const auto decoded = parts ? decode_record(parts->encoding) : std::nullopt;
    if (!decoded) return {topic, position.shard.value, "key", stored};
    return kafka::to_message(load_record(position, stored), topic, {"/test", prefix_});
  }

  kafka::Connection connection_;
  std::string prefix_ = fresh_prefix();
  TemporaryFolder folder_;
};

}  // namespace

std::unique_ptr<LogUnderTest> make_kafka_under_test() {
  const char* bootstrap = std::getenv("ANNOLOG_TEST_KAFKA");
  if (bootstrap != nullptr) return std::make_unique<KafkaUnderTest>(bootstrap);
  EXPECT_EQ(std::getenv("ANNOLOG_REQUIRE_KAFKA"), nullptr) << "Kafka tests are required here";
  return nullptr;
}

}  // namespace annolog::eventstore
