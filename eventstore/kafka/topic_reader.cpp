#include "eventstore/kafka/topic_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kStepMs = 1000;
constexpr std::chrono::milliseconds kHealPause{100};
constexpr std::size_t kAheadMessages = 100'000;

Properties reader_settings(const ReaderOptions& options) {
  return {{"group.id", "annolog-reader"},  // the library wants a name; no group is joined
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"auto.offset.reset", "error"},
          {"enable.partition.eof", "true"},
          {"isolation.level",
           options.isolation == Isolation::committed ? "read_committed" : "read_uncommitted"},
          {"fetch.wait.max.ms", std::to_string(options.news_wait.count())},
          {"fetch.error.backoff.ms", "50"},
          {"fetch.message.max.bytes", std::to_string(1 << 20)},
          {"receive.message.max.bytes", std::to_string(2 * kMaxMessageBytes)},
          {"queued.min.messages", std::to_string(kAheadMessages)},
          {"queued.max.messages.kbytes",
           std::to_string(std::max<std::size_t>(1, options.ahead_bytes >> 10U))},
          {"check.crcs", "true"}};
}

[[noreturn]] void fail(const std::string& topic, std::int32_t partition, const std::string& why) {
  throw LogUnavailable(fmt::format("{} partition {}: {}", topic, partition, why));
}

bool is_end(const KafkaMessage& message) {
  return message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
}

}  // namespace

TopicReader::TopicReader(const Connection& connection, const std::string& topic,
                         const ReaderOptions& options)
    : topic_(topic),
      ahead_bytes_(options.ahead_bytes),
      client_(RD_KAFKA_CONSUMER, connection, reader_settings(options)),
      handle_(known_topic(client_, topic_, after(options.look_up_time))),
      together_(rd_kafka_queue_new(client_.get())) {}

TopicReader::~TopicReader() { stop_all(); }

void TopicReader::start(std::int32_t partition, std::int64_t offset) {
  stop(partition);
  begin(partition, {.next = offset});
}

void TopicReader::start_together(std::int32_t partition, std::int64_t offset) {
  stop(partition);
  begin(partition, {.next = offset, .together = true});
}

void TopicReader::begin(std::int32_t partition, const Reading& reading) {
  const int failed =
      reading.together
          ? rd_kafka_consume_start_queue(handle_.get(), partition, reading.next, together_.get())
          : rd_kafka_consume_start(handle_.get(), partition, reading.next);
  if (failed != 0) fail(topic_, partition, rd_kafka_err2str(rd_kafka_last_error()));
  readings_[partition] = reading;
}

void TopicReader::stop(std::int32_t partition) {
  if (readings_.erase(partition) > 0) rd_kafka_consume_stop(handle_.get(), partition);
  given_up_.erase(partition);
}

void TopicReader::stop_all() {
  for (const auto& [partition, reading] : readings_)
    rd_kafka_consume_stop(handle_.get(), partition);
  readings_.clear();
  given_up_.clear();
  failure_.clear();
}

// The library's calls for many messages wait until all of them are there: so one is waited for, and
// what is there besides is taken along.
template <class First, class Rest>
std::vector<KafkaMessage> TopicReader::first_and_rest(const First& first, const Rest& rest,
                                                      std::size_t limit, int wait_ms) {
  heal();
  std::vector<KafkaMessage> messages;
  KafkaMessage waited_for(first(0));
  if (waited_for == nullptr) {
    wake_fetching();
    waited_for.reset(first(wait_ms));
  }
  if (waited_for == nullptr) return messages;
  std::array<rd_kafka_message_t*, 1000> raw{};
  const ssize_t count = rest(raw.data(), std::min(limit, raw.size()) - 1);
  messages.reserve(static_cast<std::size_t>(std::max<ssize_t>(0, count)) + 1);
  if (accept(*waited_for)) messages.push_back(std::move(waited_for));
  for (ssize_t i = 0; i < count; ++i) {
    KafkaMessage message(raw[static_cast<std::size_t>(i)]);
    if (accept(*message)) messages.push_back(std::move(message));
  }
  return messages;
}

bool TopicReader::accept(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
    given_up_.insert(message.partition);
    return false;
  }
  const bool at_end = message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR && !at_end) {
    // What passes, the library goes on from by itself.
    if (!is_passing(message.err))
      failure_ = fmt::format("{} partition {}: {}", topic_, message.partition,
                             rd_kafka_message_errstr(&message));
    return false;
  }
  const auto reading = readings_.find(message.partition);
  if (reading == readings_.end()) return false;  // of before it was stopped
  reading->second.next = at_end ? message.offset : message.offset + 1;
  Given& given = reading->second.given;
  given.bytes += message.len;
  ++given.messages;
  return true;
}

void TopicReader::heal() {
  if (!failure_.empty()) throw LogUnavailable(std::exchange(failure_, {}));
  if (given_up_.empty()) return;
  std::this_thread::sleep_for(kHealPause);
  for (const std::int32_t partition : std::exchange(given_up_, {})) {
    const auto found = readings_.find(partition);
    if (found == readings_.end()) continue;
    const Reading reading = found->second;
    stop(partition);
    begin(partition, reading);
  }
}

// Once as much is waiting as was asked for, the library (2.0) stops fetching, and looks only once a
// second whether there is room again, unless something else is to be asked of the broker: so
// something is, and nobody waits for the answer.
void TopicReader::wake_fetching() {
  std::vector<PartitionOffset> full;
  for (auto& [partition, reading] : readings_) {
    const Given given = std::exchange(reading.given, {});
    if (given.bytes >= ahead_bytes_ / 2 || given.messages >= kAheadMessages / 2)
      full.push_back({partition, RD_KAFKA_OFFSET_END});
  }
  if (full.empty()) return;
  const Partitions asked = partition_list(topic_, full);
  constexpr int kNoWaitMs = 1;
  rd_kafka_offsets_for_times(client_.get(), asked.get(), kNoWaitMs);
}

TopicReader::Batch TopicReader::take(std::int32_t partition, std::size_t limit, Deadline deadline) {
  Batch batch;
  for (;;) {
    const int wait_ms = std::min(kStepMs, ms_until(deadline));
    auto messages =
        first_and_rest([&](int ms) { return rd_kafka_consume(handle_.get(), partition, ms); },
                       [&](rd_kafka_message_t** raw, std::size_t size) {
                         return rd_kafka_consume_batch(handle_.get(), partition, 0, raw, size);
                       },
                       limit, wait_ms);
    for (KafkaMessage& message : messages) {
      if (is_end(message)) {
        batch.at_end = true;
      } else {
        batch.messages.push_back(std::move(message));
      }
    }
    if (!batch.messages.empty() || batch.at_end) return batch;
    if (ms_until(deadline) == 0) fail(topic_, partition, "no answer in time");
  }
}

std::vector<KafkaMessage> TopicReader::take_together(std::size_t limit, int wait_ms) {
  auto messages =
      first_and_rest([&](int ms) { return rd_kafka_consume_queue(together_.get(), ms); },
                     [&](rd_kafka_message_t** raw, std::size_t size) {
                       return rd_kafka_consume_batch_queue(together_.get(), 0, raw, size);
                     },
                     limit, wait_ms);
  std::erase_if(messages, is_end);
  return messages;
}

void read_whole(const Connection& connection, const std::string& topic, std::int32_t partition,
                Deadline deadline,
                const std::function<void(const rd_kafka_message_t& message)>& visit) {
  TopicReader reader(connection, topic);
  reader.start(partition, RD_KAFKA_OFFSET_BEGINNING);
  for (bool at_end = false; !at_end;) {
    const auto batch = reader.take(partition, 1000, deadline);
    for (const KafkaMessage& message : batch.messages) visit(*message);
    at_end = batch.at_end;
  }
}

}  // namespace annolog::eventstore::kafka
