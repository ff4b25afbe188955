// Single messages on their way to the cluster, whatever becomes of the producer behind them.
#include "eventstore/kafka/message_sender.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <map>
#include <thread>

#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_message_sender_test {
namespace {

using testing::ElementsAre;

class KafkaMessageSender : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("commands", 1);
    sender_ = std::make_unique<MessageSender>(
        scratch_->connection, kLongWait,
        [this](std::uint64_t number, Sent sent, const std::string&) {
          const std::lock_guard guard(mutex_);
          reports_[number] = sent;
          reported_.notify_all();
        });
    sender_->start(topic_, after(kLongWait));
  }
  void TearDown() override { sender_.reset(); }

  Sent send(std::uint64_t number, const std::string& value) {
    std::string why;
    return sender_->send({topic_, 0, "key", value}, number, why);
  }
  Sent report_of(std::uint64_t number) {
    std::unique_lock guard(mutex_);
    const bool came =
        reported_.wait_for(guard, kLongWait, [&] { return reports_.contains(number); });
    EXPECT_TRUE(came) << number;
    return came ? reports_.at(number) : Sent::no;
  }
  void wait_for_another_than(const std::shared_ptr<Client>& client) {
    const Deadline deadline = after(kLongWait);
    while (sender_->client() == client && ms_until(deadline) > 0) std::this_thread::yield();
    ASSERT_NE(sender_->client(), client);
  }

  std::string topic_;
  std::unique_ptr<MessageSender> sender_;
  std::mutex mutex_;
  std::condition_variable reported_;
  std::map<std::uint64_t, Sent> reports_;
};

TEST_F(KafkaMessageSender, tells_that_messages_have_arrived) {
  EXPECT_EQ(send(1, "a"), Sent::yes);
  EXPECT_EQ(send(2, "b"), Sent::yes);
  EXPECT_EQ(report_of(1), Sent::yes);
  EXPECT_EQ(report_of(2), Sent::yes);
  EXPECT_THAT(values_in(scratch_->connection, topic_, 0), ElementsAre("a", "b"));
}

TEST_F(KafkaMessageSender, goes_on_after_a_fatal_error_of_the_producer) {
  EXPECT_EQ(send(1, "before"), Sent::yes);
  EXPECT_EQ(report_of(1), Sent::yes);
  const auto broken = sender_->client();
  rd_kafka_test_fatal_error(broken->get(), RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, "test");
  wait_for_another_than(broken);
  EXPECT_EQ(send(2, "after"), Sent::yes);
  EXPECT_EQ(report_of(2), Sent::yes);
  EXPECT_THAT(values_in(scratch_->connection, topic_, 0), ElementsAre("before", "after"));
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_message_sender_test
