// Before a shard is written: what an earlier writer has left open is ended, and nobody else's.
#include "eventstore/kafka/take_over.hpp"

#include <gmock/gmock.h>

#include <map>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/transactional_producer.hpp"
#include "tests/contract/open_transaction.hpp"

namespace annolog::eventstore::kafka::kafka_take_over_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::array kAll{ShardId{0}, ShardId{1}, ShardId{2}};

class KafkaTakeOver : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ != nullptr) topic_ = scratch_->create_topic("events", kAll.size());
  }

  std::string id(const std::string& name) const { return scratch_->prefix + "." + name; }
  std::unique_ptr<RawProducer> leave_open(const std::string& name, ShardId shard) {
    auto producer = std::make_unique<RawProducer>(scratch_->connection, id(name));
    producer->begin();
    producer->send_record(topic_, shard, "open " + name);
    producer->flush();
    return producer;
  }
  // One for the whole test and each name, as a process has it.
  TakeOver& take_over_as(const std::string& own) {
    return take_overs_.try_emplace(own, scratch_->connection, topic_, id(own)).first->second;
  }
  void settle_all(const std::string& own, std::chrono::milliseconds time = kLongWait) {
    take_over_as(own).settle(kAll, after(time));
  }
  std::vector<std::string> values(ShardId shard) {
    return values_in(scratch_->connection, topic_, shard.value);
  }

  std::string topic_;
  std::map<std::string, TakeOver> take_overs_;
};

TEST_F(KafkaTakeOver, nothing_to_wait_for) {
  settle_all("mine");
  take_over_as("mine").settle({}, after(kLongWait));
}

TEST_F(KafkaTakeOver, a_dead_writers_transaction_is_ended_and_its_writer_shut_out) {
  const auto dead = leave_open("other-0", kAll[1]);
  settle_all("mine");
  EXPECT_THAT(values(kAll[1]), IsEmpty());
  dead->send_record(topic_, kAll[1], "late");
  EXPECT_FALSE(dead->commit());
  settle_all("mine");
  EXPECT_THAT(values(kAll[1]), IsEmpty());
}

TEST_F(KafkaTakeOver, each_of_several_dead_writers) {
  const auto first = leave_open("other-0", kAll[0]);
  const auto second = leave_open("other-1", kAll[0]);  // behind the first one
  const auto third = leave_open("third-0", kAll[2]);
  settle_all("mine");
  for (const auto& dead : {first.get(), second.get(), third.get()}) EXPECT_FALSE(dead->commit());
  for (const ShardId shard : kAll) EXPECT_THAT(values(shard), IsEmpty());
}

TEST_F(KafkaTakeOver, what_others_committed_behind_it_appears) {
  const auto dead = leave_open("other-0", kAll[0]);
  RawProducer good(scratch_->connection, id("third-0"));
  good.begin();
  good.send_record(topic_, kAll[0], "good");
  ASSERT_TRUE(good.commit());
  EXPECT_THAT(values(kAll[0]), IsEmpty()) << "held back";
  settle_all("mine");
  EXPECT_THAT(values(kAll[0]), ElementsAre("good"));
}

TEST_F(KafkaTakeOver, shards_that_are_not_asked_for_are_left_alone) {
  const auto alive = leave_open("other-0", kAll[1]);
  const std::array asked{kAll[0], kAll[2]};
  take_over_as("mine").settle(asked, after(kLongWait));
  EXPECT_TRUE(alive->commit());
}

TEST_F(KafkaTakeOver, own_writers_are_waited_for) {
  const auto own = leave_open("mine-0", kAll[1]);
  try {
    settle_all("mine", 3s);
    FAIL() << "settled";
  } catch (const LogUnavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("shard 1"));
  }
  EXPECT_TRUE(own->commit());
  settle_all("mine");
  EXPECT_THAT(values(kAll[1]), ElementsAre("open mine-0"));
}

// node-1 and node-10 begin alike; waiting for node-10 takes until its transaction times out, a
// minute.
TEST_F(KafkaTakeOver, a_writer_whose_name_begins_like_the_own_one_is_not_own) {
  const auto longer = leave_open("node-10-0", kAll[0]);
  const auto another = leave_open("node-1-b-0", kAll[1]);
  settle_all("node-1", 20s);
  EXPECT_FALSE(longer->commit());
  EXPECT_FALSE(another->commit());
}

TEST_F(KafkaTakeOver, who_does_not_say_his_name_is_waited_for) {
  RawProducer nameless(scratch_->connection, id("other-0"));
  nameless.begin();
  nameless.send({topic_, 0, "key", "nameless"});
  nameless.flush();
  EXPECT_THROW(settle_all("mine", 1s), LogUnavailable);
  EXPECT_TRUE(nameless.commit());
  settle_all("mine");
}

TEST_F(KafkaTakeOver, committed_transactions_get_their_marks_and_their_writer_goes_on) {
  TransactionalProducer writer(scratch_->connection, id("other-0"), 30s, after(kLongWait));
  std::vector<std::string> expected;
  for (int i = 0; i < 30; ++i) {
    Record record = chained_records(kAll[0], {}, 1)[0];
    record.data = std::to_string(i);
    expected.push_back(record.data);
    const auto result =
        writer.run({to_message(record, topic_, {"/test", writer.id()})}, {}, after(kLongWait));
    ASSERT_EQ(result.outcome, TransactionOutcome::committed) << result.detail;
    settle_all("mine");
    ASSERT_EQ(values(kAll[0]), expected) << "what is settled is there";
  }
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_take_over_test
