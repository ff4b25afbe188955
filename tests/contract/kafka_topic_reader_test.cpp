// Messages as they lie in a partition, however many there are.
#include "eventstore/kafka/topic_reader.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/message_headers.hpp"
#include "eventstore/kafka/transactional_producer.hpp"
#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_topic_reader_test {
namespace {

// Much less than there is: the library stops fetching again and again.
constexpr std::size_t kAheadBytes = 64U << 10U;
constexpr std::size_t kMessages = 40'000;
constexpr std::size_t kMessageBytes = 400;

// Else all of them would come in one answer.
std::string incompressible(std::minstd_rand& random) {
  std::string text(kMessageBytes, '\0');
  std::ranges::generate(text, [&] { return static_cast<char>(random()); });
  return text;
}

class KafkaTopicReader : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("long", 2);
    TransactionalProducer producer(scratch_->connection, scratch_->prefix, kLongWait,
                                   after(kLongWait));
    std::minstd_rand random(7);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < kMessages; ++i)
      messages.push_back({topic_, 1, "", incompressible(random)});
    ASSERT_EQ(producer.run(messages, {}, after(kLongWait)).outcome, TransactionOutcome::committed);
  }

  std::string topic_;
};

TEST_F(KafkaTopicReader, much_more_than_is_read_ahead_comes_whole_and_in_order) {
  TopicReader reader(scratch_->connection, topic_, {.ahead_bytes = kAheadBytes});
  reader.start(1, 0);
  const Deadline deadline = after(kLongWait);
  std::size_t count = 0;
  std::int64_t last = -1;
  while (count < kMessages)
    for (const KafkaMessage& message : reader.take(1, 100, deadline).messages) {
      EXPECT_GT(message->offset, last);
      last = message->offset;
      ++count;
    }
  EXPECT_EQ(count, kMessages);
}

TEST_F(KafkaTopicReader, so_it_does_when_partitions_are_read_together) {
  TopicReader reader(scratch_->connection, topic_, {.ahead_bytes = kAheadBytes});
  for (const std::int32_t partition : {0, 1}) reader.start_together(partition, 0);
  const Deadline deadline = after(kLongWait);
  std::size_t count = 0;
  while (count < kMessages && ms_until(deadline) > 0)
    count += reader.take_together(100, 1000).size();
  EXPECT_EQ(count, kMessages);
}

// What a broker says that was frozen and still believes to lead.
TEST_F(KafkaTopicReader, a_place_that_is_not_there_yet_is_kept) {
  constexpr std::int64_t kTransaction = 3;  // two messages and a mark
  std::int64_t end = 0;
  const auto send = [&](const std::string& value) {
    end += kTransaction;
    TransactionalProducer producer(scratch_->connection, scratch_->prefix, kLongWait,
                                   after(kLongWait));
    ASSERT_EQ(producer.run({{topic_, 0, "", value}, {topic_, 0, "", value}}, {}, after(kLongWait))
                  .outcome,
              TransactionOutcome::committed);
  };
  send("a");
  for (const bool together : {false, true}) {
    TopicReader reader(scratch_->connection, topic_);
    const std::int64_t place = end + kTransaction + 1;
    if (together) {
      reader.start_together(0, place);
      EXPECT_THAT(reader.take_together(10, 300), testing::IsEmpty());
    } else {
      reader.start(0, place);
      EXPECT_THROW(reader.take(0, 10, after(std::chrono::milliseconds(300))), LogUnavailable);
    }
    send("b");
    send("c");  // the place is the second of these
    std::vector<KafkaMessage> messages;
    const Deadline deadline = after(kLongWait);
    while (messages.empty() && ms_until(deadline) > 0)
      messages = together ? reader.take_together(10, 100) : reader.take(0, 10, deadline).messages;
    ASSERT_THAT(messages, testing::SizeIs(1));
    EXPECT_EQ(messages.front()->offset, place);
    EXPECT_EQ(value_of(*messages.front()), "c");
  }
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_topic_reader_test
