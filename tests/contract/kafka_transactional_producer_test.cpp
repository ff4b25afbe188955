// One transaction at a time: all of it or nothing, and the caller knows which.
#include "eventstore/kafka/transactional_producer.hpp"

#include <gmock/gmock.h>

#include "tests/contract/open_transaction.hpp"

namespace annolog::eventstore::kafka::kafka_transactional_producer_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class KafkaTransactionalProducer : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ != nullptr) topic_ = scratch_->create_topic("t", 2);
  }
  std::unique_ptr<TransactionalProducer> producer(const std::string& name = "writer-0") {
    return std::make_unique<TransactionalProducer>(
        scratch_->connection, scratch_->prefix + "." + name, 30s, after(kLongWait));
  }
  TransactionResult run(TransactionalProducer& by, std::vector<Message> messages) {
    return by.run(std::move(messages), {}, after(kLongWait));
  }
  Message message(std::int32_t partition, const std::string& value) const {
    return {topic_, partition, "key", value};
  }
  std::vector<std::string> values(std::int32_t partition = 0) {
    return values_in(scratch_->connection, topic_, partition);
  }

  std::string topic_;
};

TEST_F(KafkaTransactionalProducer, a_transaction_appears_in_all_its_partitions) {
  const auto by = producer();
  EXPECT_EQ(run(*by, {message(0, "a"), message(1, "b"), message(0, "c")}).outcome,
            TransactionOutcome::committed);
  EXPECT_THAT(values(0), ElementsAre("a", "c"));
  EXPECT_THAT(values(1), ElementsAre("b"));
  EXPECT_EQ(run(*by, {}).outcome, TransactionOutcome::committed) << "an empty one";
}

TEST_F(KafkaTransactionalProducer, a_second_of_the_same_id_shuts_the_first_out) {
  const auto first = producer();
  ASSERT_EQ(run(*first, {message(0, "first")}).outcome, TransactionOutcome::committed);
  const auto second = producer();
  const auto result = run(*first, {message(0, "late")});
  EXPECT_EQ(result.outcome, TransactionOutcome::aborted);
  EXPECT_FALSE(result.usable);
  EXPECT_NE(result.detail, "");
  EXPECT_EQ(run(*second, {message(0, "second")}).outcome, TransactionOutcome::committed);
  EXPECT_THAT(values(), ElementsAre("first", "second"));
}

TEST_F(KafkaTransactionalProducer, what_a_dead_one_of_the_same_id_left_open_is_ended) {
  RawProducer dead(scratch_->connection, scratch_->prefix + ".writer-0");
  dead.begin();
  dead.send(message(0, "open"));
  dead.flush();
  const auto by = producer();
  EXPECT_EQ(run(*by, {message(0, "next")}).outcome, TransactionOutcome::committed);
  EXPECT_FALSE(dead.commit());
  EXPECT_THAT(values(), ElementsAre("next"));
}

TEST_F(KafkaTransactionalProducer, one_message_that_fails_takes_the_others_with_it) {
  const auto by = producer();
  const auto result = run(*by, {message(0, "a"), message(9, "no such partition"), message(1, "b")});
  EXPECT_EQ(result.outcome, TransactionOutcome::aborted);
  EXPECT_NE(result.detail, "");
  ASSERT_TRUE(result.usable) << result.detail;
  EXPECT_EQ(run(*by, {message(0, "next")}).outcome, TransactionOutcome::committed);
  EXPECT_THAT(values(0), ElementsAre("next"));
  EXPECT_THAT(values(1), IsEmpty());
}

TEST_F(KafkaTransactionalProducer, a_message_beyond_the_limit_aborts_and_the_next_goes_on) {
  const auto by = producer();
  for (int i = 0; i < 3; ++i) {
    const auto result = run(*by, {message(0, "small"), message(0, std::string(65U << 20U, 'x'))});
    ASSERT_EQ(result.outcome, TransactionOutcome::aborted);
    ASSERT_TRUE(result.usable) << result.detail;
    ASSERT_EQ(run(*by, {message(0, std::to_string(i))}).outcome, TransactionOutcome::committed);
  }
  EXPECT_THAT(values(), ElementsAre("0", "1", "2"));
}

TEST_F(KafkaTransactionalProducer, offsets_of_a_group_that_has_moved_on_abort_it) {
  const auto by = producer();
  const GroupMetadata stale(rd_kafka_consumer_group_metadata_new_with_genid(
      (scratch_->prefix + ".group").c_str(), 7, "nobody", nullptr));
  const auto result =
      by->run({message(0, "late")}, {topic_, {{0, 5}}, stale.get()}, after(kLongWait));
  EXPECT_EQ(result.outcome, TransactionOutcome::not_owner) << result.detail;
  ASSERT_TRUE(result.usable);
  EXPECT_EQ(run(*by, {message(0, "next")}).outcome, TransactionOutcome::committed);
  EXPECT_THAT(values(), ElementsAre("next"));
}

TEST_F(KafkaTransactionalProducer, a_deadline_that_has_passed_writes_nothing) {
  const auto by = producer();
  const auto result = by->run({message(0, "late")}, {}, after(-1s));
  EXPECT_NE(result.outcome, TransactionOutcome::committed);
  ASSERT_EQ(result.outcome, TransactionOutcome::aborted) << result.detail;
  if (result.usable) {
    EXPECT_EQ(run(*by, {message(0, "next")}).outcome, TransactionOutcome::committed);
    EXPECT_THAT(values(), ElementsAre("next"));
  }
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_transactional_producer_test
