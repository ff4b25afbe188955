#include "eventstore/kafka/message_sender.hpp"

#include <array>
#include <utility>

#include "eventstore/kafka/produce.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kSenderServeMs = 100;
constexpr int kPurgeMs = 1000;
constexpr std::size_t kReasonSize = 512;

Properties sender_settings(std::chrono::milliseconds timeout) {
  return {{"enable.idempotence", "true"},
          {"linger.ms", "0"},
          {"message.timeout.ms", std::to_string(timeout.count())},
          {"message.max.bytes", std::to_string(kMaxMessageBytes)},
          {"compression.codec", "lz4"}};
}

}  // namespace

MessageSender::MessageSender(const Connection& connection, std::chrono::milliseconds timeout,
                             OnReport report)
    : connection_(connection),
      timeout_(timeout),
      report_(std::move(report)),
      client_(make_client()) {}

std::shared_ptr<Client> MessageSender::make_client() const {
  Hooks hooks;
  hooks.delivered = [this](const rd_kafka_message_t& message) { on_delivery(message); };
  return std::make_shared<Client>(RD_KAFKA_PRODUCER, connection_, sender_settings(timeout_), hooks);
}

std::shared_ptr<Client> MessageSender::client() const {
  const std::lock_guard guard(mutex_);
  return client_;
}

void MessageSender::start(const std::string& topic, Deadline deadline) {
  known_topic(*client(), topic, deadline);
  thread_ = std::thread([this] { run(); });
}

void MessageSender::run() {
  while (!stopping_) {
    const auto current = client();
    rd_kafka_poll(current->get(), kSenderServeMs);
    std::array<char, kReasonSize> reason{};
    if (rd_kafka_fatal_error(current->get(), reason.data(), reason.size()) ==
        RD_KAFKA_RESP_ERR_NO_ERROR)
      continue;
    if (connection_.warn)
      connection_.warn(std::string("messages are sent by another producer from now on: ") +
                       reason.data());
    replace();
  }
}

void MessageSender::replace() {
  auto fresh = make_client();
  std::shared_ptr<Client> old;
  {
    const std::lock_guard guard(mutex_);
    old = std::exchange(client_, std::move(fresh));
  }
  rd_kafka_purge(old->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_flush(old->get(), kPurgeMs);  // the reports of what was on its way
}

void MessageSender::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Sent MessageSender::send(Message message, std::uint64_t number, std::string& why) {
  const Error error = produce(*client(), message, number);
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
