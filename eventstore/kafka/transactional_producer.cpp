#include "eventstore/kafka/transactional_producer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/produce.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kProducerServeMs = 200;
// Aborting is asked of the broker even when the time for the work itself has passed.
constexpr std::chrono::milliseconds kAbortTime{5000};

Error failed(rd_kafka_resp_err_t code, const std::string& what) {
  return Error(rd_kafka_error_new(code, "%s: %s", what.c_str(), rd_kafka_err2str(code)));
}

std::string text_of(const Error& error) { return rd_kafka_error_string(error.get()); }

bool is_lost_ownership(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION ||
         code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID ||
         code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
}

// Calls again what the library says may be called again, until the deadline.
template <class Call>
Error retried(Deadline deadline, const Call& call) {
  for (;;) {
    Error error(call(std::max(1, ms_until(deadline))));
    if (!error || rd_kafka_error_is_retriable(error.get()) == 0 || ms_until(deadline) == 0)
      return error;
  }
}

Properties producer_settings(const std::string& id, std::chrono::milliseconds transaction_timeout) {
  return {{"transactional.id", id},
          {"transaction.timeout.ms", std::to_string(transaction_timeout.count())},
          {"message.timeout.ms", std::to_string(transaction_timeout.count())},
          {"message.max.bytes", std::to_string(kMaxMessageBytes)},
          {"linger.ms", "0"},
          {"compression.codec", "lz4"}};
}

}  // namespace

TransactionalProducer::TransactionalProducer(const Connection& connection,
                                             const std::string& transactional_id,
                                             std::chrono::milliseconds transaction_timeout,
                                             Deadline deadline)
    : id_(transactional_id),
      client_(RD_KAFKA_PRODUCER, connection, producer_settings(id_, transaction_timeout),
              {.warn = {},
               .delivered =
                   [this](const rd_kafka_message_t& message) {
                     --deliveries_.open;
                     if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
                     deliveries_.failure = rd_kafka_err2str(message.err);
                     if (rd_kafka_message_status(&message) != RD_KAFKA_MSG_STATUS_NOT_PERSISTED)
                       deliveries_.uncertain = true;
                   },
               .rebalanced = {}}) {
  const Error error = retried(
      deadline, [&](int wait_ms) { return rd_kafka_init_transactions(client_.get(), wait_ms); });
  if (error) throw LogUnavailable(fmt::format("transactions of {}: {}", id_, text_of(error)));
}

// A client that is destroyed takes in answers until its threads have ended. One that tells of
// another fatal error then frees the first one's text again (librdkafka 2.0.2, rd_kafka_txns_term;
// the same in 2.14). So nothing may be on its way when that begins.
TransactionalProducer::~TransactionalProducer() {
  rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
}

void TransactionalProducer::expect(const std::string& topic, Deadline deadline) {
  topics_.push_back(known_topic(client_, topic, deadline));
}

TransactionResult TransactionalProducer::run(std::vector<Message> messages,
                                             const Consumed& consumed, Deadline deadline) {
  deliveries_ = {};
  Error error(rd_kafka_begin_transaction(client_.get()));
  if (!error) error = produce_all(messages);
  if (!error && !consumed.next.empty()) error = send_offsets(consumed, deadline);
  if (!error) error = wait_for_deliveries(deadline);
  if (error) return give_up(std::move(error), deadline);
  return commit(deadline);
}

Error TransactionalProducer::produce_all(std::vector<Message>& messages) {
  for (Message& message : messages) {
    Error error = produce(client_, message, 0);
    while (error && rd_kafka_error_code(error.get()) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      rd_kafka_poll(client_.get(), kProducerServeMs);
      error = produce(client_, message, 0);
    }
    if (error) return error;
    ++deliveries_.open;
  }
  return nullptr;
}

Error TransactionalProducer::send_offsets(const Consumed& consumed, Deadline deadline) {
  const Partitions next = partition_list(consumed.topic, consumed.next);
  return retried(deadline, [&](int wait_ms) {
    return rd_kafka_send_offsets_to_transaction(client_.get(), next.get(), consumed.group, wait_ms);
  });
}

Error TransactionalProducer::wait_for_deliveries(Deadline deadline) {
  while (deliveries_.open > 0 && ms_until(deadline) > 0)
    rd_kafka_poll(client_.get(), std::min(kProducerServeMs, ms_until(deadline)));
  if (!deliveries_.failure.empty())
    return failed(RD_KAFKA_RESP_ERR__FAIL, "delivery: " + deliveries_.failure);
  if (deliveries_.open > 0) return failed(RD_KAFKA_RESP_ERR__TIMED_OUT, "delivery");
  return nullptr;
}

TransactionResult TransactionalProducer::give_up(Error error, Deadline) {
  const auto outcome = is_lost_ownership(rd_kafka_error_code(error.get()))
                           ? TransactionOutcome::not_owner
                           : TransactionOutcome::aborted;
  if (rd_kafka_error_is_fatal(error.get()) != 0) return {outcome, text_of(error), false};
  const Error aborted = retried(after(kAbortTime), [&](int wait_ms) {
    return rd_kafka_abort_transaction(client_.get(), wait_ms);
  });
  // Not aborted by word: the broker does it, at the latest when the transaction's time is over.
  const bool settled = deliveries_.open == 0 && !deliveries_.uncertain;
  return {outcome, text_of(error), aborted == nullptr && settled};
}

TransactionResult TransactionalProducer::commit(Deadline deadline) {
  Error error = retried(
      deadline, [&](int wait_ms) { return rd_kafka_commit_transaction(client_.get(), wait_ms); });
  if (!error) return {};
  if (rd_kafka_error_txn_requires_abort(error.get()) != 0)
    return give_up(std::move(error), deadline);
  return {TransactionOutcome::unknown, text_of(error), false};
}

}  // namespace annolog::eventstore::kafka
