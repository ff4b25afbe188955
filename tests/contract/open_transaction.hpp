// A producer whose transactions a test begins, ends or leaves open as it likes: another process
// that dies, or the one before. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "eventstore/kafka/produce.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "tests/contract/chained_records.hpp"
#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka {

class RawProducer {
 public:
  static constexpr int kWaitMs = 30'000;

  RawProducer(const Connection& connection, const std::string& id)
      : id_(id),
        client_(
            RD_KAFKA_PRODUCER, connection,
            {{"transactional.id", id}, {"transaction.timeout.ms", "60000"}, {"linger.ms", "0"}}) {
    require(Error(rd_kafka_init_transactions(client_.get(), kWaitMs)));
  }
  void begin() { require(Error(rd_kafka_begin_transaction(client_.get()))); }
  void send(Message message) { require(produce(client_, message, 0)); }
  // A record that says whose it is, as a log writes it.
  void send_record(const std::string& topic, ShardId shard, const std::string& data) {
    Record record = chained_records(shard, {}, 1)[0];
    record.data = data;
    send(to_message(record, topic, {"/test", id_}));
  }
  void flush() { EXPECT_EQ(rd_kafka_flush(client_.get(), kWaitMs), RD_KAFKA_RESP_ERR_NO_ERROR); }
  bool commit() { return !Error(rd_kafka_commit_transaction(client_.get(), kWaitMs)); }
  void abort() { require(Error(rd_kafka_abort_transaction(client_.get(), kWaitMs))); }

 private:
  static void require(const Error& error) {
    EXPECT_FALSE(error) << rd_kafka_error_string(error.get());
  }
  std::string id_;
  Client client_;
};

}  // namespace annolog::eventstore::kafka
