// The bus of a node, whoever decides: every command is answered exactly once, whatever happens.
#include "commands/kafka/kafka_bus.hpp"

#include "commands/kafka/envelope_message.hpp"
#include "commands/wire/outcome_json.hpp"
#include "tests/contract/open_transaction.hpp"
#include "tests/kafka_cpp/nodes.hpp"

namespace annolog::commands::kafka_bus_test {
namespace {

using eventstore::kafka::Message;

class KafkaBusTest : public KafkaNodesTest {
 protected:
  // The commands that wait in a shard's partition, as their owner would read them.
  std::vector<ReceivedCommand> sent_to(std::int32_t partition) {
    std::vector<ReceivedCommand> commands;
    eventstore::kafka::read_whole(
        scratch_->connection, scratch_->names.commands, partition,
        eventstore::kafka::after(eventstore::kafka::kLongWait),
        [&](const auto& message) { commands.push_back(to_command(message, clock_)); });
    return commands;
  }
  ReturnAddress address_of_the_only_command() {
    std::vector<ReceivedCommand> commands;
    EXPECT_TRUE(eventually([&] { return !(commands = sent_to(0)).empty(); }));
    return commands.at(0).from;
  }
  // All in one transaction: the bus sees them together.
  void reply(std::vector<Message> messages) {
    eventstore::kafka::TransactionalProducer producer(
        scratch_->connection, scratch_->prefix + ".replier", std::chrono::seconds(30),
        eventstore::kafka::after(eventstore::kafka::kLongWait));
    const auto result = producer.run(std::move(messages), {},
                                     eventstore::kafka::after(eventstore::kafka::kLongWait));
    ASSERT_EQ(result.outcome, eventstore::kafka::TransactionOutcome::committed) << result.detail;
  }
  Message reply_to(const ReturnAddress& to, const Outcome& outcome) {
    return to_message(outcome, to, scratch_->names.replies, clock_);
  }
  static Outcome done() { return {Reply{NoTask{"all_done", 0}}, std::nullopt, false}; }
};

TEST_F(KafkaBusTest, before_its_start_and_after_its_stop_nothing_is_taken) {
  const auto alone = node("a");
  EXPECT_EQ(code_of(alone->call(wish(new_user("u")))), "STOPPING");
  alone->bus.start();
  alone->bus.stop();
  EXPECT_EQ(code_of(alone->call(wish(new_user("u")))), "STOPPING");
  EXPECT_TRUE(sent_to(0).empty());
}

TEST_F(KafkaBusTest, more_than_may_wait_is_refused_at_once) {
  const auto alone = node("a", {.waiting_max = 2});
  alone->bus.start();
  auto first = alone->send(wish(new_user("u1")));
  auto second = alone->send(wish(new_user("u2")));
  const Outcome third = alone->call(wish(new_user("u3")));
  EXPECT_EQ(code_of(third), "OVERLOADED");
  EXPECT_FALSE(third.position);
  EXPECT_TRUE(eventually([&] { return sent_to(0).size() == 2; }));
  const ReturnAddress from = sent_to(0).at(0).from;
  reply({reply_to(from, done())});
  EXPECT_EQ(code_of(Node::result_of(std::move(first))), "ok");
  auto fourth = alone->send(wish(new_user("u4")));  // there is room again
  alone->bus.stop();
  EXPECT_EQ(code_of(Node::result_of(std::move(second))), "OUTCOME_UNKNOWN");
  EXPECT_EQ(code_of(Node::result_of(std::move(fourth))), "OUTCOME_UNKNOWN");
}

TEST_F(KafkaBusTest, without_an_answer_in_time_the_outcome_is_unknown) {
  const auto alone = node("a", {.answer_ms = 50});
  alone->bus.start();
  const Outcome outcome = alone->call(wish(new_user("u")));
  ASSERT_EQ(code_of(outcome), "OUTCOME_UNKNOWN");
  EXPECT_EQ(outcome.reply.error().kind, DomainError::Kind::unavailable);
  EXPECT_GT(outcome.reply.error().retry_after_s, 0);
}

TEST_F(KafkaBusTest, answers_are_awaited_by_their_own_deadlines) {
  const auto alone = node("a");
  alone->bus.start();
  auto late = alone->send(wish(new_user("late")));
  Envelope soon = wish(new_user("soon"));
  soon.deadline_ms = clock_.monotonic_ms() - 2'900;  // and 3 s of grace
  EXPECT_EQ(code_of(alone->call(soon)), "OUTCOME_UNKNOWN");
  EXPECT_EQ(late.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(KafkaBusTest, a_reply_counts_once_and_only_for_its_command) {
  const auto alone = node("a");
  alone->bus.start();
  auto waiting = alone->send(wish(new_user("u")));
  const ReturnAddress from = address_of_the_only_command();
  std::vector<Message> replies;
  for (const std::string id : {"", "a", "a/", "a/x", "a/999", "/"}) {
    ReturnAddress other = from;
    other.command_id = id;
    replies.push_back(reply_to(other, {DomainError{}, std::nullopt, false}));
  }
  ReturnAddress another_node = from;
  another_node.node = "b";
  replies.push_back(reply_to(another_node, {DomainError{}, std::nullopt, false}));
  replies.push_back(reply_to(from, done()));
  replies.push_back(reply_to(from, done()));
  reply(std::move(replies));
  EXPECT_EQ(code_of(Node::result_of(std::move(waiting))), "ok");
}

TEST_F(KafkaBusTest, a_reply_that_can_not_be_read_takes_no_other_with_it) {
  const auto alone = node("a");
  alone->bus.start();
  auto waiting = alone->send(wish(new_user("u")));
  const ReturnAddress from = address_of_the_only_command();
  ReturnAddress other = from;
  other.command_id = "a/999";
  std::vector<Message> replies;
  for (const std::string damaged : {"{", "", R"({"replayed":false,"name":"brand_new"})"}) {
    replies.push_back(reply_to(other, done()));
    replies.back().value = damaged;
  }
  replies.push_back(reply_to(from, done()));
  reply(std::move(replies));
  EXPECT_EQ(code_of(Node::result_of(std::move(waiting))), "ok");
}

TEST_F(KafkaBusTest, replies_to_those_who_ran_before_are_not_its_own) {
  auto before = node("a");
  before->bus.start();
  auto unanswered = before->send(wish(new_user("u")));
  const ReturnAddress from = address_of_the_only_command();
  before->bus.stop();
  EXPECT_EQ(code_of(Node::result_of(std::move(unanswered))), "OUTCOME_UNKNOWN");
  before.reset();
  reply({reply_to(from, done())});
  const auto after = node("a", {.answer_ms = 1'000});
  after->bus.start();
  EXPECT_EQ(code_of(after->call(wish(new_user("other")))), "OUTCOME_UNKNOWN");
}

// A node that is started again under its name begins to count anew: a reply to a command of its
// former life that comes late names the same number.
TEST_F(KafkaBusTest, a_late_reply_to_its_former_life_answers_nothing_of_this_one) {
  auto before = node("a");
  before->bus.start();
  auto unanswered = before->send(wish(new_user("u")));
  const ReturnAddress from = address_of_the_only_command();
  before->bus.stop();
  before.reset();
  const auto after = node("a", {.answer_ms = 3'000});
  after->bus.start();
  auto waiting = after->send(wish(new_project(4)));
  reply({reply_to(from, done())});
  EXPECT_EQ(code_of(Node::result_of(std::move(waiting))), "OUTCOME_UNKNOWN")
      << "the other command's reply was taken for this one's";
}

}  // namespace
}  // namespace annolog::commands::kafka_bus_test
