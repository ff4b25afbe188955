// The end of a shard as the cluster knows it, whatever this process has heard.
#include "eventstore/kafka/latest_ends.hpp"

#include "eventstore/errors.hpp"
#include "tests/contract/chained_records.hpp"
#include "tests/contract/open_transaction.hpp"

namespace annolog::eventstore::kafka::kafka_latest_ends_test {
namespace {

constexpr ShardId kShard{1};

class KafkaLatestEnds : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("events", 2);
    writer_ = std::make_unique<RawProducer>(scratch_->connection, scratch_->prefix + ".writer");
    ends_ = std::make_unique<LatestEnds>(scratch_->connection, topic_);
  }
  void send(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t at = from; at <= to; ++at) {
      Record record = chained_records(kShard, {}, 1)[0];
      record.position.offset = Offset{at};
      writer_->send(to_message(record, topic_, {}));
    }
  }
  void commit(std::uint64_t from, std::uint64_t to) {
    writer_->begin();
    send(from, to);
    ASSERT_TRUE(writer_->commit());
  }
  Offset end() { return ends_->of(kShard, after(kLongWait)); }

  std::string topic_;
  std::unique_ptr<RawProducer> writer_;
  std::unique_ptr<LatestEnds> ends_;
};

TEST_F(KafkaLatestEnds, grows_with_every_commit) {
  EXPECT_EQ(end(), Offset{0});
  commit(1, 1);
  EXPECT_EQ(end(), Offset{1});
  EXPECT_EQ(end(), Offset{1}) << "nothing new";
  commit(2, 500);
  EXPECT_EQ(end(), Offset{500});
  EXPECT_EQ(ends_->of(ShardId{0}, after(kLongWait)), Offset{0});
}

TEST_F(KafkaLatestEnds, is_not_said_while_something_before_it_is_open) {
  commit(1, 3);
  EXPECT_EQ(end(), Offset{3});
  writer_->begin();
  send(4, 40);
  writer_->flush();
  EXPECT_THROW(ends_->of(kShard, after(std::chrono::milliseconds(50))), LogUnavailable);
  writer_->abort();
  EXPECT_EQ(end(), Offset{3});
  commit(4, 4);
  EXPECT_EQ(end(), Offset{4});
}

TEST(KafkaLatestEndsAway, says_so_in_time) {
  LatestEnds ends({"127.0.0.1:1"}, "nowhere");
  EXPECT_THROW(ends.of(kShard, after(std::chrono::milliseconds(200))), LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_latest_ends_test
