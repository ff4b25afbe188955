#include "eventstore/kafka/acked_writer.hpp"

#include <algorithm>
#include <bit>

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int32_t kWriterPartition = 0;
constexpr int kAckPollMs = 100;
constexpr std::uint64_t kNobodyWaits = 0;

Properties writer_settings(std::chrono::milliseconds timeout) {
  return {{"acks", "all"},
          {"message.send.max.retries", "0"},
          {"message.timeout.ms", std::to_string(timeout.count())},
          {"request.timeout.ms", std::to_string(timeout.count())},
          {"linger.ms", "0"}};
}

}  // namespace

AckedWriter::AckedWriter(const Connection& connection, const std::string& topic,
                         std::chrono::milliseconds timeout, Deadline deadline)
    : client_(RD_KAFKA_PRODUCER, connection, writer_settings(timeout),
              {.warn = {},
               .delivered =
                   [this](const rd_kafka_message_t& message) {
                     if (std::bit_cast<std::uint64_t>(message._private) != number_) return;
                     report_ = Written{};
                     if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
                       report_->offset = message.offset;
                     } else {
                       report_->failure = rd_kafka_err2str(message.err);
                     }
                   },
               .rebalanced = {}}),
      topic_(known_topic(client_, topic, deadline)) {}

bool AckedWriter::produce(const std::string& key, const std::string* value, std::uint64_t number) {
  // The library copies the payload and never writes to it, yet takes it as a plain pointer.
  std::string payload = value != nullptr ? *value : std::string();
  return rd_kafka_produce(topic_.get(), kWriterPartition, RD_KAFKA_MSG_F_COPY,
                          value != nullptr ? payload.data() : nullptr, payload.size(), key.data(),
                          key.size(), std::bit_cast<void*>(number)) == 0;
}

AckedWriter::Written AckedWriter::write(const std::string& key, const std::string* value,
                                        Deadline deadline) {
  ++number_;
  report_.reset();
  if (!produce(key, value, number_)) return {{}, rd_kafka_err2str(rd_kafka_last_error())};
  while (!report_ && ms_until(deadline) > 0)
    rd_kafka_poll(client_.get(), std::min(kAckPollMs, ms_until(deadline)));
  return report_.value_or(Written{{}, "no acknowledgement in time"});
}

void AckedWriter::send(const std::string& key, const std::string& value) {
  produce(key, &value, kNobodyWaits);
}

}  // namespace annolog::eventstore::kafka
