#include "eventstore/kafka/topic_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kStepMs = 1000;
constexpr std::chrono::milliseconds kLookUpTime{10'000};

Properties settings(Isolation isolation, std::size_t ahead_bytes) {
  return {{"group.id", "annolog-reader"},  // the library wants a name; no group is joined
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"auto.offset.reset", "error"},
          {"enable.partition.eof", "true"},
          {"isolation.level",
           isolation == Isolation::committed ? "read_committed" : "read_uncommitted"},
          {"fetch.wait.max.ms", "500"},
          {"fetch.error.backoff.ms", "50"},
          {"fetch.message.max.bytes", std::to_string(1 << 20)},
          {"receive.message.max.bytes", std::to_string(2 * kMaxMessageBytes)},
          {"queued.min.messages", "10000"},
          {"queued.max.messages.kbytes", std::to_string(std::max<std::size_t>(1, ahead_bytes >> 10U))},
          {"check.crcs", "true"}};
}

[[noreturn]] void fail(const std::string& topic, std::int32_t partition, const std::string& why) {
  throw LogUnavailable(fmt::format("{} partition {}: {}", topic, partition, why));
}

// Errors that the library mends by itself, by asking again.
bool is_passing(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
         error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
}

}  // namespace

TopicReader::TopicReader(const Connection& connection, const std::string& topic,
                         Isolation isolation, std::size_t ahead_bytes)
    : topic_(topic),
      client_(RD_KAFKA_CONSUMER, connection, settings(isolation, ahead_bytes)),
      handle_(known_topic(client_, topic_, after(kLookUpTime))),
      together_(rd_kafka_queue_new(client_.get())) {}

TopicReader::~TopicReader() {
  for (const std::int32_t partition : started_) rd_kafka_consume_stop(handle_.get(), partition);
}

void TopicReader::start(std::int32_t partition, std::int64_t offset) {
  stop(partition);
  if (rd_kafka_consume_start(handle_.get(), partition, offset) != 0)
    fail(topic_, partition, rd_kafka_err2str(rd_kafka_last_error()));
  started_.insert(partition);
}

void TopicReader::stop(std::int32_t partition) {
  if (started_.erase(partition) > 0) rd_kafka_consume_stop(handle_.get(), partition);
}

TopicReader::Batch TopicReader::take(std::int32_t partition, std::size_t limit, Deadline deadline) {
  std::array<rd_kafka_message_t*, 512> raw{};
  Batch batch;
  for (;;) {
    const ssize_t count =
        rd_kafka_consume_batch(handle_.get(), partition, std::min(kStepMs, ms_until(deadline)),
                               raw.data(), std::min(limit, raw.size()));
    if (count < 0) fail(topic_, partition, rd_kafka_err2str(rd_kafka_last_error()));
    for (ssize_t i = 0; i < count; ++i) {
      KafkaMessage message(raw[static_cast<std::size_t>(i)]);
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        batch.messages.push_back(std::move(message));
      } else if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        batch.at_end = true;
      } else if (!is_passing(message->err)) {
        fail(topic_, partition, rd_kafka_message_errstr(message.get()));
      }
    }
    if (!batch.messages.empty() || batch.at_end) return batch;
    if (ms_until(deadline) == 0) fail(topic_, partition, "no answer in time");
  }
}

void TopicReader::start_together(std::int32_t partition, std::int64_t offset) {
  if (rd_kafka_consume_start_queue(handle_.get(), partition, offset, together_.get()) != 0)
    fail(topic_, partition, rd_kafka_err2str(rd_kafka_last_error()));
  started_.insert(partition);
}

std::vector<KafkaMessage> TopicReader::take_together(std::size_t limit, int wait_ms) {
  std::vector<rd_kafka_message_t*> raw(limit);
  const ssize_t count =
      rd_kafka_consume_batch_queue(together_.get(), wait_ms, raw.data(), raw.size());
  std::vector<KafkaMessage> messages;
  for (ssize_t i = 0; i < count; ++i) {
    KafkaMessage message(raw[static_cast<std::size_t>(i)]);
    const bool end = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && !end) {
      if (is_passing(message->err)) continue;
      fail(topic_, message->partition, rd_kafka_message_errstr(message.get()));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

void read_whole(const Connection& connection, const std::string& topic, std::int32_t partition,
                Deadline deadline,
                const std::function<void(const rd_kafka_message_t& message)>& visit) {
  TopicReader reader(connection, topic, Isolation::committed);
  reader.start(partition, RD_KAFKA_OFFSET_BEGINNING);
  for (bool at_end = false; !at_end;) {
    const auto batch = reader.take(partition, 1000, deadline);
    for (const KafkaMessage& message : batch.messages) visit(*message);
    at_end = batch.at_end;
  }
}

}  // namespace annolog::eventstore::kafka
