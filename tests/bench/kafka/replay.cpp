// A log of many events, read by a plain consumer and through the log.
#include <chrono>
#include <stdexcept>
#include <vector>

#include "domain/codec/events.hpp"
#include "eventstore/kafka/kafka_log.hpp"
#include "eventstore/kafka/message_headers.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/record_id.hpp"
#include "tests/bench/kafka/options.hpp"
#include "tests/bench/whole_log.hpp"

namespace annolog::bench {
namespace {

using namespace eventstore;
using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kShards = 4;
constexpr std::uint64_t kCommitRecords = 2'000;
constexpr std::int64_t kBoxes = 3;
constexpr int kServeMs = 1000;
constexpr std::chrono::seconds kLongWait{60};

KafkaLogOptions log_options(const KafkaOptions& options) {
  KafkaLogOptions made;
  made.connection.bootstrap = options.bootstrap;
  made.topic_prefix = options.prefix;
  return made;
}

std::unique_ptr<KafkaLog> open_for_reading(const KafkaOptions& options) {
  KafkaLogOptions made = log_options(options);
  made.shard_count = 0;
  made.create = false;
  made.sole_writer = false;
  return open_kafka_log(made);
}

NewRecord submitted(Position at, std::uint64_t number) {
  TaskAnnotationsAdded event{ProjectId{4}, TaskId{static_cast<std::int64_t>(number)}, {}};
  for (std::int64_t i = 0; i < kBoxes; ++i) {
    NewAnnotation box;
    box.annotation_id = AnnotationId{static_cast<std::int64_t>(number) * kBoxes + i};
    box.class_id = ClassId{1};
    box.class_name = "car";
    box.geometry = Bbox{static_cast<double>(number % 997) / 997, 0.123456, 0.25, 0.125};
    box.source = "manual";
    event.annotations.push_back(std::move(box));
  }
  const auto encoded = codec::encode_event(event);
  NewRecord record;
  record.headers.id = record_id(at);
  record.headers.type = encoded.type;
  record.headers.schema_version = encoded.version;
  record.headers.subject = "task/" + std::to_string(number);
  record.headers.actor = "user/7";
  record.data = encoded.data;
  return record;
}

}  // namespace

void fill_log(const KafkaOptions& options) {
  KafkaLogOptions made = log_options(options);
  made.shard_count = kShards;
  made.state_folder = options.folder;
  const auto log = open_kafka_log(made);
  const auto start = Clock::now();
  std::uint64_t records = 0;
  for (std::uint16_t turn = 0; records < options.records; ++turn) {
    const ShardId shard(turn % kShards);
    const auto transaction = log->begin({&shard, 1});
    for (std::uint64_t i = 0; i < kCommitRecords && records < options.records; ++i, ++records) {
      transaction->append(shard, submitted({shard, transaction->end(shard).next()}, records));
      transaction->end_command(shard);
    }
    if (log->commit(*transaction) != CommitOutcome::ok)
      throw std::runtime_error(log->health().detail);
  }
  print_reading(records, 0, start);
}

// All partitions in one queue, as many messages at once as are there.
void bare_consume(const KafkaOptions& options) {
  const kafka::Client consumer(RD_KAFKA_CONSUMER, {options.bootstrap},
                               {{"group.id", "bench"},
                                {"isolation.level", "read_committed"},
                                {"enable.auto.commit", "false"}});
  const kafka::TopicNames names(options.prefix);
  const kafka::Topic topic = kafka::known_topic(consumer, names.events, kafka::after(kLongWait));
  const kafka::Queue queue(rd_kafka_queue_new(consumer.get()));
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  const auto start = Clock::now();
  for (std::int32_t partition = 0; partition < kShards; ++partition)
    if (rd_kafka_consume_start_queue(topic.get(), partition, RD_KAFKA_OFFSET_BEGINNING,
                                     queue.get()) != 0)
      throw std::runtime_error(rd_kafka_err2str(rd_kafka_last_error()));
  while (records < options.records) {
    const kafka::KafkaMessage message(rd_kafka_consume_queue(queue.get(), kServeMs));
    if (message == nullptr) continue;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
      throw std::runtime_error(rd_kafka_message_errstr(message.get()));
    ++records;
    bytes += message->len;
    if (options.headers)
      kafka::each_header(*message, [&](std::string_view name, std::string_view value) {
        bytes += name.size() + value.size();
      });
  }
  print_reading(records, bytes, start);
  for (std::int32_t partition = 0; partition < kShards; ++partition)
    rd_kafka_consume_stop(topic.get(), partition);
}

void replay_log(const KafkaOptions& options) {
  read_whole_log(*open_for_reading(options), options.decode);
}

}  // namespace annolog::bench
