// One transaction at a time: messages, and the offsets of what they answer, all or nothing.
// One thread. Source: KIP-98 (transactions), KIP-447 (fencing by the consumer group's generation).
//
// Committing costs little (2 to 7 ms) as long as nobody calls rd_kafka_flush(), which sleeps in
// steps of 10 ms, and as long as the next transaction doesn't begin with the same producer at once:
// the broker still writes the last one's markers and the library waits 20 ms before it asks again.
// So deliveries are waited for by their reports, and producers take turns (producer_pool.hpp).
//
// A producer that aborts while messages may or may not have been written is of no use any more: the
// library gives their sequence numbers to the next messages (2.0.2), which the broker then takes
// for repetitions. It confirms them, commits, and they are nowhere.
#pragma once

#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/message.hpp"

namespace annolog::eventstore::kafka {

// What a consumer group has dealt with: the next offsets to read.
struct Consumed {
  std::string topic;
  std::vector<PartitionOffset> next;
  const rd_kafka_consumer_group_metadata_t* group = nullptr;
};

enum class TransactionOutcome {
  committed,
  aborted,    // nothing of it will ever be seen
  not_owner,  // the same, as the group has given the partitions to another member
  unknown,    // the commit was asked for and never answered: this producer is of no use any more
};

struct TransactionResult {
  TransactionOutcome outcome = TransactionOutcome::committed;
  std::string detail;  // of a failure
  bool usable = true;  // false: the producer must be replaced
};

class TransactionalProducer {
 public:
  // Ends what a producer of the same id has left open, and shuts that producer out for good.
  // Throws LogUnavailable when the cluster does not answer until `deadline`.
  TransactionalProducer(const Connection& connection, const std::string& transactional_id,
                        std::chrono::milliseconds transaction_timeout, Deadline deadline);
  ~TransactionalProducer();
  TransactionalProducer(const TransactionalProducer&) = delete;
  TransactionalProducer& operator=(const TransactionalProducer&) = delete;

  // Its first message to the topic needn't wait. Throws LogUnavailable.
  void expect(const std::string& topic, Deadline deadline);

  TransactionResult run(std::vector<Message> messages, const Consumed& consumed, Deadline deadline);
  const std::string& id() const { return id_; }

 private:
  struct Deliveries {
    std::size_t open = 0;
    std::string failure;
    bool uncertain = false;  // a message that failed may lie in the partition
  };
  Error produce_all(std::vector<Message>& messages);
  Error send_offsets(const Consumed& consumed, Deadline deadline);
  Error wait_for_deliveries(Deadline deadline);
  TransactionResult give_up(Error error, Deadline deadline);
  TransactionResult commit(Deadline deadline);

  std::string id_;
  Deliveries deliveries_;
  Client client_;
  std::vector<Topic> topics_;
};

}  // namespace annolog::eventstore::kafka
