#include "eventstore/kafka/producer_pool.hpp"

#include <fmt/format.h>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {

// A slot taken out of the pool; goes to the end of the line when destroyed.
class ProducerPool::Turn {
 public:
  Turn(ProducerPool& pool, Deadline deadline) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    if (!pool_.rested_.wait_until(lock, deadline, [&] { return !pool_.resting_.empty(); }))
      throw LogUnavailable("no producer became free in time");
    slot = std::move(pool_.resting_.front());
    pool_.resting_.pop_front();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(pool_.mutex_);
    pool_.resting_.push_back(std::move(slot));
    pool_.rested_.notify_one();
  }
  Slot slot;

 private:
  ProducerPool& pool_;
};

ProducerPool::ProducerPool(ProducerPoolOptions options) : options_(std::move(options)) {
  for (std::size_t i = 0; i < options_.producers; ++i)
    resting_.push_back({fmt::format("{}-{}", options_.id_prefix, i), nullptr});
}

TransactionalProducer& ProducerPool::producer_of(Slot& slot, Deadline deadline) const {
  if (slot.producer == nullptr) {
    auto producer = std::make_unique<TransactionalProducer>(options_.connection, slot.id,
                                                            options_.transaction_timeout, deadline);
    for (const std::string& topic : options_.topics) producer->expect(topic, deadline);
    slot.producer = std::move(producer);
  }
  return *slot.producer;
}

void ProducerPool::warm_up(Deadline deadline) {
  for (std::size_t i = 0; i < options_.producers; ++i) {
    Turn turn(*this, deadline);
    producer_of(turn.slot, deadline);
  }
}

TransactionResult ProducerPool::run(
    const std::function<std::vector<Message>(const std::string& producer_id)>& messages,
    const Consumed& consumed, Deadline deadline) {
  Turn turn(*this, deadline);
  TransactionalProducer& producer = producer_of(turn.slot, deadline);
  TransactionResult result = producer.run(messages(producer.id()), consumed, deadline);
  if (!result.usable) turn.slot.producer.reset();
  return result;
}

}  // namespace annolog::eventstore::kafka
