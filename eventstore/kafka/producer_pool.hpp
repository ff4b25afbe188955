// Transactional producers that take turns, so that the broker can finish one's transaction while
// the next is under way (transactional_producer.hpp). Each is made at its first turn, and made anew
// when it is of no use any more. Any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore::kafka {

struct ProducerPoolOptions {
  Connection connection;
  std::string id_prefix;  // of the transactional ids: nobody else's as long as this process lives
  std::vector<std::string> topics;  // that they write to
  std::size_t producers = 4;
  std::chrono::milliseconds transaction_timeout{10'000};
};

class ProducerPool {
 public:
  explicit ProducerPool(ProducerPoolOptions options);

  // Makes those that are missing, so that the first transactions needn't wait.
  // Throws LogUnavailable.
  void warm_up(Deadline deadline);
  // With the producer that has rested longest; waits for one. Throws LogUnavailable when none
  // could be had until the deadline: nothing was written then.
  TransactionResult run(
      const std::function<std::vector<Message>(const std::string& producer_id)>& messages,
      const Consumed& consumed, Deadline deadline);

 private:
  struct Slot {
    std::string id;
    std::unique_ptr<TransactionalProducer> producer;
  };
  class Turn;

  TransactionalProducer& producer_of(Slot& slot, Deadline deadline) const;

  const ProducerPoolOptions options_;
  std::mutex mutex_;
  std::condition_variable rested_;
  std::deque<Slot> resting_;
};

}  // namespace annolog::eventstore::kafka
