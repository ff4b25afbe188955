// Nodes that share the shards: each command is decided once, by whoever owns its shard.
#include "commands/kafka/kafka_runtime.hpp"

#include <deque>
#include <map>

#include "commands/kafka/envelope_message.hpp"
#include "tests/contract/open_transaction.hpp"
#include "tests/kafka_cpp/nodes.hpp"

namespace annolog::commands::kafka_runtime_test {
namespace {

using eventstore::Offset;
using eventstore::Position;
using eventstore::ShardId;
using eventstore::kafka::Message;

constexpr std::int64_t kStartMs = 1'750'000'000'000;

class KafkaRuntimeTest : public KafkaNodesTest {
 protected:
  static std::uint64_t records(const Node& node) {
    std::uint64_t sum = 0;
    for (std::uint16_t i = 0; i < kShards; ++i) sum += node.log->end(ShardId{i}).value;
    return sum;
  }
  std::int64_t commands_in(ShardId shard) const {
    return eventstore::kafka::end_offset(scratch_->client, scratch_->names.commands, shard.value,
                                         eventstore::kafka::after(eventstore::kafka::kLongWait));
  }
  void write(std::vector<Message> messages) {
    eventstore::kafka::TransactionalProducer producer(
        scratch_->connection, scratch_->prefix + ".writer", std::chrono::seconds(30),
        eventstore::kafka::after(eventstore::kafka::kLongWait));
    ASSERT_EQ(
        producer
            .run(std::move(messages), {}, eventstore::kafka::after(eventstore::kafka::kLongWait))
            .outcome,
        eventstore::kafka::TransactionOutcome::committed);
  }
  // As a node "ghost" sends it that hears no reply.
  Message sent_by_a_ghost(Command command) {
    return to_message(wish(std::move(command)), {"ghost", 0, "ghost/1"}, scratch_->names.commands,
                      kShards, clock_);
  }
};

TEST_F(KafkaRuntimeTest, one_node_decides_and_answers) {
  const auto alone = node("a");
  alone->start();
  Envelope envelope = wish(new_user("ada"), "key-1");
  envelope.request_id = "request-1";
  envelope.causation_id = "cause-1";
  envelope.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const Outcome made = alone->call(envelope);
  ASSERT_EQ(code_of(made), "ok");
  EXPECT_EQ(made.position, (Position{kDirectory, Offset{1}}));
  const auto record = alone->log->read(kDirectory, {}, {}).at(0);
  EXPECT_EQ(record.headers.type, "user.created");
  EXPECT_EQ(record.headers.request_id, envelope.request_id);
  EXPECT_EQ(record.headers.causation_id, envelope.causation_id);
  EXPECT_EQ(record.headers.traceparent, envelope.traceparent);
  const Outcome again = alone->call(envelope);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(reply_of<UserReply>(again), reply_of<UserReply>(made));
  EXPECT_EQ(code_of(alone->call(wish(new_user("ada")))), "USERNAME_TAKEN");
  EXPECT_EQ(code_of(alone->call(wish(new_user("bob"), "key-1", "another request"))),
            "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(alone->log->end(kDirectory), Offset{1});
}

TEST_F(KafkaRuntimeTest, commands_for_its_own_shards_do_not_go_through_the_topic) {
  const auto alone = node("a");
  alone->start();
  ASSERT_EQ(code_of(alone->call(wish(new_user("ada")))), "ok") << "takes the shard over";
  const std::int64_t before = commands_in(kDirectory);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(code_of(alone->call(wish(new_user("user" + std::to_string(i))))), "ok");
  EXPECT_EQ(commands_in(kDirectory), before);
  EXPECT_EQ(alone->log->end(kDirectory), Offset{21});
}

TEST_F(KafkaRuntimeTest, a_refusal_under_a_key_is_not_told_before_what_lies_in_the_topic) {
  const auto alone = node("a");
  alone->start();
  ASSERT_EQ(code_of(alone->call(wish(new_user("ada")))), "ok");
  const std::int64_t before = commands_in(kDirectory);
  EXPECT_EQ(code_of(alone->call(wish(new_user("ada"), "key-1"))), "USERNAME_TAKEN");
  EXPECT_EQ(commands_in(kDirectory), before + 1);
  EXPECT_EQ(code_of(alone->call(wish(new_user("ada")))), "USERNAME_TAKEN");
  EXPECT_EQ(code_of(alone->call(wish(new_user("bob"), "key-2"))), "ok");
  EXPECT_EQ(commands_in(kDirectory), before + 1) << "without a key, or granted: at once";
}

TEST_F(KafkaRuntimeTest, own_commands_and_those_of_others_are_decided_together) {
  const auto owner = node("owner");
  owner->start();
  ASSERT_EQ(code_of(owner->call(wish(new_user("first")))), "ok");
  const auto other = node("other");
  other->bus.start();  // it owns nothing
  std::vector<std::future<Outcome>> waiting;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "user" + std::to_string(i);
    waiting.push_back((i % 2 == 0 ? owner : other)->send(wish(new_user(name))));
  }
  for (auto& each : waiting) EXPECT_EQ(code_of(Node::result_of(std::move(each))), "ok");
  EXPECT_EQ(owner->log->end(kDirectory), Offset{201});
}

TEST_F(KafkaRuntimeTest, what_an_unanswered_commit_would_have_done_is_not_believed) {
  const auto alone = node("a");
  alone->start();
  const AddMember add{ProjectId{6}, UserId{9}, Role::annotator, Role::annotator};
  ASSERT_EQ(code_of(alone->call(wish(new_project(6)))), "ok");
  ASSERT_EQ(code_of(alone->call(wish(new_user("ada")))), "ok")
      << "another shard of the same writer";
  alone->log->lose_the_next_commit = true;
  EXPECT_EQ(code_of(alone->call(wish(add, "key-1"))), "OUTCOME_UNKNOWN");
  EXPECT_EQ(code_of(alone->call(wish(add, "key-1"))), "ok");
  EXPECT_EQ(code_of(alone->call(wish(add))), "ALREADY_MEMBER");
}

TEST_F(KafkaRuntimeTest, a_shard_moves_while_its_owner_keeps_getting_commands_for_it) {
  constexpr std::int64_t kUsualPatienceMs = 13'000;
  const auto first = node("a", {.answer_ms = kUsualPatienceMs});
  first->start();
  const std::set<ShardId> all{ShardId{0}, ShardId{1}, ShardId{2}, ShardId{3}};
  ASSERT_TRUE(eventually([&] { return first->owned() == all; }));
  for (std::int64_t id = 4; id < 8; ++id)
    ASSERT_EQ(code_of(first->call(wish(new_project(id)))), "ok");
  std::atomic<bool> done = false;
  std::vector<std::thread> callers;
  for (std::int64_t i = 0; i < 16; ++i)
    callers.emplace_back([&, i] {
      std::deque<std::future<Outcome>> waiting;
      for (std::int64_t user = 1'000'000 * i; !done || !waiting.empty(); ++user) {
        const AddMember add{ProjectId{4 + i % 4}, UserId{user}, Role::viewer, Role::viewer};
        if (!done) waiting.push_back(first->send(wish(add)));
        if (waiting.size() < 16 && !done) continue;
        EXPECT_EQ(code_of(Node::result_of(std::move(waiting.front()))), "ok");
        waiting.pop_front();
      }
    });
  const auto second = node("b");
  second->start();
  EXPECT_TRUE(eventually([&] { return second->owned().size() == 2; }));
  done = true;
  for (auto& caller : callers) caller.join();
}

TEST_F(KafkaRuntimeTest, many_commands_at_once_are_all_decided) {
  const auto alone = node("a");
  alone->start();
  std::vector<std::future<Outcome>> waiting;
  constexpr std::int64_t kCommands = 1'000;
  for (std::int64_t i = 1; i <= kCommands; ++i)
    waiting.push_back(alone->send(wish(new_project(i))));
  for (auto& each : waiting) EXPECT_EQ(code_of(Node::result_of(std::move(each))), "ok");
  EXPECT_EQ(records(*alone), kCommands);
  EXPECT_EQ(alone->decided().size(), kCommands);
  for (std::uint16_t i = 0; i < kShards; ++i)
    EXPECT_NO_THROW(alone->log->verify(ShardId{i}, {}, {}));
}

TEST_F(KafkaRuntimeTest, two_nodes_share_the_shards_and_either_takes_any_command) {
  const auto a = node("a");
  a->start();
  ASSERT_TRUE(eventually([&] { return a->owned().size() == kShards; }));
  const auto b = node("b");
  b->start();
  ASSERT_TRUE(eventually(
      [&] { return a->owned().size() == kShards / 2 && b->owned().size() == kShards / 2; }));
  std::vector<std::future<Outcome>> waiting;
  constexpr std::int64_t kCommands = 80;
  for (std::int64_t i = 1; i <= kCommands; ++i)
    waiting.push_back((i % 3 == 0 ? a : b)->send(wish(new_project(i))));
  std::int64_t id = 0;
  for (auto& each : waiting)
    EXPECT_EQ(reply_of<ProjectView>(Node::result_of(std::move(each))).id, ProjectId{++id});
  EXPECT_TRUE(eventually([&] { return records(*a) == kCommands && records(*b) == kCommands; }));
  for (const Node* each : {a.get(), b.get()})
    for (const Position& at : each->decided()) EXPECT_TRUE(each->owned().contains(at.shard));
  EXPECT_EQ(a->decided().size() + b->decided().size(), static_cast<std::size_t>(kCommands));
  EXPECT_GT(a->decided().size(), 0U);
  EXPECT_GT(b->decided().size(), 0U);
}

TEST_F(KafkaRuntimeTest, when_a_node_stops_the_other_goes_on_with_what_it_had_answered) {
  auto a = node("a");
  const auto b = node("b");
  a->start();
  b->start();
  ASSERT_TRUE(eventually([&] { return !a->owned().empty() && !b->owned().empty(); }));
  std::map<std::int64_t, Outcome> made;
  for (std::int64_t i = 4; i < 8; ++i)
    made.emplace(i, a->call(wish(new_project(i), "key-" + std::to_string(i))));
  const auto user = reply_of<UserReply>(b->call(wish(new_user("ada"), "user-key")));
  a->stop();
  a.reset();
  for (const auto& [id, first] : made) {
    const Outcome again = b->call(wish(new_project(id), "key-" + std::to_string(id)));
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.position, first.position);
    EXPECT_EQ(reply_of<ProjectView>(again).id, reply_of<ProjectView>(first).id);
  }
  const Outcome again = b->call(wish(new_user("ada"), "user-key"));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(reply_of<UserReply>(again), user);
  EXPECT_EQ(reply_of<UserReply>(b->call(wish(new_user("bob")))).user.id.value,
            user.user.id.value + 1);
  EXPECT_EQ(b->owned().size(), kShards);
}

TEST_F(KafkaRuntimeTest, commands_keep_coming_while_nodes_come_and_go) {
  const auto steady = node("steady");
  steady->start();
  std::vector<std::future<Outcome>> waiting;
  std::int64_t next = 0;
  const auto send = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ++next;
      waiting.push_back(steady->send(wish(new_project(next), "key-" + std::to_string(next))));
    }
  };
  for (int round = 0; round < 2; ++round) {
    send(50);
    const auto guest = node("guest-" + std::to_string(round));
    guest->start();
    send(50);
    ASSERT_TRUE(eventually([&] { return !guest->owned().empty(); }));
    send(50);
    guest->stop();
    send(50);
  }
  for (auto& each : waiting) ASSERT_EQ(code_of(Node::result_of(std::move(each))), "ok");
  EXPECT_TRUE(eventually([&] { return records(*steady) >= static_cast<std::uint64_t>(next); }));
  EXPECT_EQ(records(*steady), static_cast<std::uint64_t>(next)) << "each exactly once";
  for (std::uint16_t i = 0; i < kShards; ++i)
    EXPECT_NO_THROW(steady->log->verify(ShardId{i}, {}, {}));
}

TEST_F(KafkaRuntimeTest, a_deadline_that_passed_while_nobody_owned_the_shard_did_nothing) {
  const platform::ManualClock sender({kStartMs});
  const platform::ManualClock owner({kStartMs + 2'000});
  const auto late = node("a", {.clock = &owner, .bus_clock = &sender});
  late->bus.start();
  Envelope passed = wish(new_user("passed"));
  passed.deadline_ms = sender.monotonic_ms() + 1'000;
  Envelope open = wish(new_user("open"));
  open.deadline_ms = sender.monotonic_ms() + 60'000;
  auto refused = late->send(passed);
  auto done = late->send(open);
  late->runtime.start();
  const Outcome outcome = Node::result_of(std::move(refused));
  EXPECT_EQ(code_of(outcome), "DEADLINE_EXCEEDED");
  EXPECT_FALSE(outcome.position);
  EXPECT_EQ(reply_of<UserReply>(Node::result_of(std::move(done))).user.id, UserId{1});
  EXPECT_EQ(late->log->end(kDirectory), Offset{1});
}

TEST_F(KafkaRuntimeTest, what_was_unknown_is_told_to_who_asks_again) {
  const auto a = node("a", {.answer_ms = 50});
  a->bus.start();
  EXPECT_EQ(code_of(a->call(wish(new_user("ada"), "key"))), "OUTCOME_UNKNOWN");
  const auto b = node("b");
  b->start();
  ASSERT_TRUE(eventually([&] { return b->log->end(kDirectory) == Offset{1}; }));
  const Outcome again = b->call(wish(new_user("ada"), "key"));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(reply_of<UserReply>(again).user.id, UserId{1});
}

TEST_F(KafkaRuntimeTest, a_stopped_bus_leaves_its_commands_to_be_decided) {
  const auto a = node("a");
  a->bus.start();
  auto waiting = a->send(wish(new_user("ada"), "key"));
  const auto b = node("b");
  // The command is on its way; wait until it is in the topic.
  ASSERT_TRUE(eventually([&] {
    return !eventstore::kafka::values_in(scratch_->connection, scratch_->names.commands, 0).empty();
  }));
  a->bus.stop();
  EXPECT_EQ(code_of(Node::result_of(std::move(waiting))), "OUTCOME_UNKNOWN");
  b->start();
  EXPECT_TRUE(b->call(wish(new_user("ada"), "key")).replayed);
}

TEST_F(KafkaRuntimeTest, another_versions_command_is_refused_and_the_rest_decided) {
  const auto a = node("a");
  a->bus.start();
  Message unknown = sent_by_a_ghost(new_user("never"));
  for (auto& [name, value] : unknown.headers)
    if (name == "ce_type") value = "command.brand_new";
  write({sent_by_a_ghost(new_user("first")), unknown, sent_by_a_ghost(new_user("second"))});
  a->runtime.start();
  ASSERT_TRUE(eventually([&] { return a->log->end(kDirectory) == Offset{2}; }));
  std::vector<std::string> replies;
  ASSERT_TRUE(eventually([&] {
    replies = eventstore::kafka::values_in(scratch_->connection, scratch_->names.replies, 0);
    return replies.size() == 3;
  }));
  EXPECT_THAT(replies[1], ::testing::HasSubstr("COMMAND_NOT_UNDERSTOOD"));
  EXPECT_EQ(code_of(a->call(wish(new_user("never")))), "ok");
}

// What is no command at all must not keep a shard from its work.
TEST_F(KafkaRuntimeTest, garbage_among_the_commands_disturbs_nobody) {
  const auto a = node("a");
  a->bus.start();
  Message lost = sent_by_a_ghost(new_user("never"));
  Message bytes = lost;
  bytes.value = "\xFF\xFE{";
  lost.value = "{";
  for (auto& [name, value] : lost.headers)
    if (name == "ce_replyto") value = "x";
  const Message bare{scratch_->names.commands, 0, "key", "no headers"};
  const Message tombstone{scratch_->names.commands, 0, "key", std::nullopt};
  write({sent_by_a_ghost(new_user("first")), lost, bytes, bare, tombstone,
         sent_by_a_ghost(new_user("second"))});
  a->runtime.start();
  EXPECT_TRUE(eventually([&] { return a->log->end(kDirectory) == Offset{2}; }))
      << ::testing::PrintToString(a->errors());
  EXPECT_EQ(reply_of<UserReply>(a->call(wish(new_user("third")))).user.id, UserId{3});
}

// Nobody can answer at such a place; the commands beside it must not wait for ever.
TEST_F(KafkaRuntimeTest, a_return_address_that_is_nowhere_disturbs_nobody) {
  const auto a = node("a");
  a->bus.start();
  Message nowhere = sent_by_a_ghost(new_user("ghost"));
  for (auto& [name, value] : nowhere.headers)
    if (name == "ce_replyto") value = "9999";
  write({sent_by_a_ghost(new_user("first")), nowhere});
  a->runtime.start();
  EXPECT_EQ(code_of(a->call(wish(new_user("second")))), "ok")
      << ::testing::PrintToString(a->errors());
}

}  // namespace
}  // namespace annolog::commands::kafka_runtime_test
