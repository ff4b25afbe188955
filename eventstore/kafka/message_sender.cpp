#include "eventstore/kafka/message_sender.hpp"

#include <utility>

#include "eventstore/kafka/produce.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kServeMs = 100;

Properties settings(std::chrono::milliseconds timeout) {
  return {{"enable.idempotence", "true"},
          {"linger.ms", "0"},
          {"message.timeout.ms", std::to_string(timeout.count())},
          {"message.max.bytes", std::to_string(kMaxMessageBytes)},
          {"compression.codec", "lz4"}};
}

}  // namespace

MessageSender::MessageSender(const Connection& connection, std::chrono::milliseconds timeout,
                             OnReport report)
    : report_(std::move(report)),
      client_(RD_KAFKA_PRODUCER, connection, settings(timeout),
              {.warn = {},
               .delivered = [this](const rd_kafka_message_t& m) { on_delivery(m); },
               .rebalanced = {}}) {}

void MessageSender::start(const std::string& topic, Deadline deadline) {
  topic_ = known_topic(client_, topic, deadline);
  thread_ = std::thread([this] {
    while (!stopping_) rd_kafka_poll(client_.get(), kServeMs);
  });
}

void MessageSender::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Sent MessageSender::send(Message message, std::uint64_t number, std::string& why) {
  const Error error = produce(client_, message, number);
  if (!error) return Sent::yes;
  why = rd_kafka_error_string(error.get());
  const auto code = rd_kafka_error_code(error.get());
  if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) return Sent::too_large;
  return code == RD_KAFKA_RESP_ERR__QUEUE_FULL ? Sent::full : Sent::no;
}

void MessageSender::on_delivery(const rd_kafka_message_t& message) const {
  const std::uint64_t number = produced_number(message);
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) return report_(number, Sent::yes, {});
  const std::string why = rd_kafka_err2str(message.err);
  if (message.err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
    return report_(number, Sent::too_large, why);
  const bool surely_not = rd_kafka_message_status(&message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
  report_(number, surely_not ? Sent::no : Sent::unknown, why);
}

}  // namespace annolog::eventstore::kafka
