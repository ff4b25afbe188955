// What only topics can do wrong when a log is copied into them.
#include "eventstore/kafka/kafka_import.hpp"

#include <gmock/gmock.h>

#include "eventstore/copy_log.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/transactional_producer.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "tests/contract/kafka_scratch.hpp"
#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::kafka_import_test {
namespace {

using kafka::after;
using kafka::kLongWait;
using testing::HasSubstr;

constexpr int kCopies = 30;

class KafkaImportTopics : public kafka::KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    append(*source_, kShard, {"a", "b"});
  }

  std::unique_ptr<RecordImport> import() const {
    return open_kafka_import({.connection = scratch_->connection, .topic_prefix = scratch_->prefix},
                             source_->log_info());
  }

  std::unique_ptr<EventLog> source_ = open_memory_log(kShards);
};

TEST_F(KafkaImportTopics, records_of_a_log_that_nobody_knows_are_refused) {
  ensure_topics(scratch_->client, scratch_->names, {kShards, 1}, after(kLongWait));
  kafka::TransactionalProducer producer(scratch_->connection, scratch_->prefix, kLongWait,
                                        after(kLongWait));
  ASSERT_EQ(
      producer.run({{scratch_->names.events, 2, "key", "value"}}, {}, after(kLongWait)).outcome,
      kafka::TransactionOutcome::committed);
  try {
    import();
    FAIL() << "taken";
  } catch (const LogRefused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr(scratch_->names.events + " holds records, but"));
  }
}

TEST_F(KafkaImportTopics, another_number_of_partitions_is_refused) {
  ensure_topics(scratch_->client, scratch_->names, {kShards + 1, 1}, after(kLongWait));
  EXPECT_THROW(import(), LogRefused);
}

TEST_F(KafkaImportTopics, a_second_import_shuts_the_first_one_out) {
  const auto records = read_all(*source_, kShard);
  const auto first = import();
  const auto second = import();
  first->append(records);
  EXPECT_THROW(first->commit(), LogUnavailable);
  EXPECT_EQ(copy_records(*source_, *second, {}).copied, 2U);
  EXPECT_EQ(import()->end(kShard), stored_end(*source_, kShard));
}

// The marks of a transaction come partition by partition, after its answer.
TEST_F(KafkaImportTopics, whoever_looks_after_a_copy_sees_all_of_it) {
  const kafka::TopicReader seen(scratch_->connection, scratch_->names.events);
  const kafka::TopicReader all(scratch_->connection, scratch_->names.events,
                               {.isolation = kafka::Isolation::uncommitted});
  const auto target = import();
  for (int copies = 0; copies < kCopies; ++copies) {
    for (std::uint16_t i = 0; i < kShards; ++i) append(*source_, ShardId{i}, {"more"});
    copy_records(*source_, *target, {});
    for (std::uint16_t i = 0; i < kShards; ++i)
      EXPECT_EQ(seen.end(i, after(kLongWait)), all.end(i, after(kLongWait))) << "shard " << i;
  }
}

}  // namespace
}  // namespace annolog::eventstore::kafka_import_test
