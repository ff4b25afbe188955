// Commands and replies through a broker: what one process sends, another one receives.
#include "commands/kafka/envelope_message.hpp"

#include <chrono>
#include <map>
#include <vector>

#include "commands/wire/command_json.hpp"
#include "commands/wire/outcome_json.hpp"
#include "domain/codec/json/codec_error.hpp"
#include "eventstore/kafka/message_headers.hpp"
#include "tests/contract/open_transaction.hpp"
#include "tests/kafka_cpp/nodes.hpp"

namespace annolog::commands::envelope_message_test {
namespace {

using codec::CodecError;
using eventstore::kafka::Message;
using ::testing::Contains;
using ::testing::Pair;

constexpr std::int64_t kStartMs = 1'750'000'000'000;

class KafkaEnvelope : public eventstore::kafka::KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("t", kShards);
    sender_.advance(5'000);  // its monotonic time
  }

  // Calls visit with the message as it arrives.
  template <class Visit>
  void carry(const Message& message, const Visit& visit) {
    eventstore::kafka::RawProducer producer(scratch_->connection, scratch_->prefix + ".w");
    producer.begin();
    producer.send(message);
    ASSERT_TRUE(producer.commit());
    const std::size_t sent = ++carried_[message.partition];
    eventstore::kafka::TopicReader reader(scratch_->connection, topic_);
    reader.start(message.partition, RD_KAFKA_OFFSET_BEGINNING);
    std::vector<eventstore::kafka::KafkaMessage> all;
    // A transaction is committed before the last of its markers is written: until then its message
    // is behind what a reader takes for the end.
    const auto until = eventstore::kafka::after(eventstore::kafka::kLongWait);
    while (all.size() < sent && std::chrono::steady_clock::now() < until) {
      auto batch = reader.take(message.partition, 100, until);
      for (auto& each : batch.messages) all.push_back(std::move(each));
    }
    ASSERT_EQ(all.size(), sent);
    visit(*all.back());
  }
  Message message(const Envelope& envelope) {
    return to_message(envelope, from_, topic_, kShards, sender_);
  }
  // As the other process sees it, whose clock is `clock`.
  ReceivedCommand received(const Envelope& envelope, const platform::Clock& clock) {
    ReceivedCommand command;
    carry(message(envelope), [&](const auto& m) { command = to_command(m, clock); });
    return command;
  }
  static void put(Message& message, std::string_view name, const std::string& value) {
    for (auto& header : message.headers)
      if (header.first == name) header.second = value;
  }

  std::string topic_;
  std::map<std::int32_t, std::size_t> carried_;  // messages, by partition
  ReturnAddress from_{"node-1", 3, "node-1/17"};
  platform::ManualClock sender_{{kStartMs}};
};

Envelope full_envelope() {
  Envelope envelope;
  envelope.command = LockTask{TaskId{4161}};
  envelope.actor = UserId{77};
  envelope.role = Role::reviewer;
  envelope.request_id = "request \xC3\xA4";
  envelope.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  envelope.causation_id = "1-42";
  envelope.idempotency = IdempotencyKey{"a key = \"x\"", "hash/+="};
  return envelope;
}

TEST_F(KafkaEnvelope, every_field_arrives) {
  const Envelope sent = full_envelope();
  const auto [got, from] = received(sent, sender_);
  EXPECT_EQ(to_json(got.command), to_json(sent.command));
  EXPECT_EQ(got.actor, sent.actor);
  EXPECT_EQ(got.role, sent.role);
  EXPECT_EQ(got.request_id, sent.request_id);
  EXPECT_EQ(got.traceparent, sent.traceparent);
  EXPECT_EQ(got.causation_id, sent.causation_id);
  ASSERT_TRUE(got.idempotency);
  EXPECT_EQ(got.idempotency->key, sent.idempotency->key);
  EXPECT_EQ(got.idempotency->request_hash, sent.idempotency->request_hash);
  EXPECT_EQ(got.deadline_ms, 0) << "none was given";
  EXPECT_FALSE(got.done);
  EXPECT_EQ(from.node, "node-1");
  EXPECT_EQ(from.partition, 3);
  EXPECT_EQ(from.command_id, "node-1/17");
}

TEST_F(KafkaEnvelope, what_is_empty_stays_empty) {
  Envelope bare;
  bare.command = new_user("u");
  const auto got = received(bare, sender_).envelope;
  EXPECT_EQ(got.actor, UserId{});
  EXPECT_EQ(got.role, Role::viewer);
  EXPECT_EQ(got.request_id + got.traceparent + got.causation_id, "");
  EXPECT_FALSE(got.idempotency);
  bare.idempotency = IdempotencyKey{"key", ""};
  const auto keyed = received(bare, sender_).envelope;
  ASSERT_TRUE(keyed.idempotency);
  EXPECT_EQ(keyed.idempotency->key, "key");
  EXPECT_EQ(keyed.idempotency->request_hash, "");
}

TEST_F(KafkaEnvelope, every_role_arrives) {
  for (const Role role : {Role::viewer, Role::annotator, Role::reviewer, Role::super_admin}) {
    Envelope envelope = full_envelope();
    envelope.role = role;
    EXPECT_EQ(received(envelope, sender_).envelope.role, role);
  }
}

TEST_F(KafkaEnvelope, goes_to_the_shard_that_decides_it) {
  for (const std::int64_t id : {4, 5, 6, 7, -1}) {
    Envelope envelope;
    envelope.command = LockTask{TaskId{id}};
    EXPECT_EQ(message(envelope).partition, shard_of(envelope.command, kShards).value);
  }
  Envelope directory;
  directory.command = new_user("u");
  EXPECT_EQ(message(directory).partition, kDirectory.value);
}

TEST_F(KafkaEnvelope, a_deadline_is_the_same_moment_on_another_machine) {
  Envelope envelope = full_envelope();
  envelope.deadline_ms = sender_.monotonic_ms() + 1'500;
  platform::ManualClock other({kStartMs + 5'000});  // the same wall time, just started
  EXPECT_EQ(received(envelope, other).envelope.deadline_ms, 1'500);
  other.advance(1'000);
  EXPECT_EQ(received(envelope, other).envelope.deadline_ms, 1'500) << "some of it has passed";
  other.advance(1'000);
  const auto late = received(envelope, other).envelope.deadline_ms;
  EXPECT_LT(late, other.monotonic_ms()) << "it has passed on the way";
}

TEST_F(KafkaEnvelope, clocks_apart_move_the_deadline_by_as_much) {
  Envelope envelope = full_envelope();
  envelope.deadline_ms = sender_.monotonic_ms() + 1'500;
  platform::ManualClock ahead({kStartMs + 5'000 + 700});
  EXPECT_EQ(received(envelope, ahead).envelope.deadline_ms, 800);
  platform::ManualClock behind({kStartMs + 5'000 - 700});
  EXPECT_EQ(received(envelope, behind).envelope.deadline_ms, 2'200);
}

TEST_F(KafkaEnvelope, a_deadline_that_has_passed_never_becomes_none) {
  Envelope envelope = full_envelope();
  envelope.deadline_ms = sender_.monotonic_ms() - 100;
  platform::ManualClock other({kStartMs + 5'000});
  EXPECT_LT(received(envelope, other).envelope.deadline_ms, 0);
  envelope.deadline_ms = sender_.monotonic_ms();  // to the other one: 0
  const auto exact = received(envelope, other).envelope.deadline_ms;
  EXPECT_NE(exact, 0);
  EXPECT_LE(exact, other.monotonic_ms());
}

TEST_F(KafkaEnvelope, is_an_event_for_every_reader) {
  std::multimap<std::string, std::string> headers;
  carry(message(full_envelope()), [&](const auto& m) {
    eventstore::kafka::each_header(
        m, [&](std::string_view name, std::string_view value) { headers.emplace(name, value); });
    EXPECT_EQ(eventstore::kafka::key_of(m), "shard/1");
  });
  EXPECT_THAT(headers, Contains(Pair("ce_specversion", "1.0")));
  EXPECT_THAT(headers, Contains(Pair("ce_id", "node-1/17")));
  EXPECT_THAT(headers, Contains(Pair("ce_type", "command.lock_task")));
  EXPECT_THAT(headers, Contains(Pair("ce_source", "/annolog/node/node-1")));
  EXPECT_THAT(headers, Contains(Pair("content-type", "application/json")));
  for (const auto& [name, value] : headers) EXPECT_EQ(headers.count(name), 1U) << name;
}

TEST_F(KafkaEnvelope, another_versions_command_is_refused_and_its_sender_known) {
  const auto expect_refused = [&](std::string_view header, const std::string& value) {
    Envelope envelope = full_envelope();
    envelope.deadline_ms = sender_.monotonic_ms() + 1'000;
    Message changed = message(envelope);
    if (header == "value") changed.value = value;
    else put(changed, header, value);
    carry(changed, [&](const auto& m) {
      EXPECT_THROW(to_command(m, sender_), CodecError) << header << " " << value;
      EXPECT_EQ(return_address(m).node, "node-1");
      EXPECT_EQ(return_address(m).command_id, "node-1/17");
      EXPECT_EQ(return_address(m).partition, 3);
    });
  };
  expect_refused("ce_type", "command.brand_new");
  expect_refused("ce_type", "");
  expect_refused("ce_role", "king");
  expect_refused("ce_actor", "seven");
  expect_refused("ce_actor", "");
  expect_refused("ce_deadline", "soon");
  expect_refused("value", "{");
  expect_refused("value", R"({"task_id":"7"})");
}

TEST_F(KafkaEnvelope, a_return_address_is_what_there_is_of_it) {
  for (const std::string partition : {"x", "", "99999999999", "1.5"}) {
    Message changed = message(full_envelope());
    put(changed, "ce_replyto", partition);
    carry(changed, [&](const auto& m) {
      ReturnAddress from;
      ASSERT_NO_THROW(from = return_address(m)) << partition;
      EXPECT_EQ(from.command_id, "node-1/17");
    });
  }
  carry({topic_, 0, "key", "no headers"}, [&](const auto& m) {
    EXPECT_EQ(return_address(m).node, "");
    EXPECT_THROW(to_command(m, sender_), CodecError);
  });
}

TEST_F(KafkaEnvelope, a_reply_finds_who_asked) {
  const Outcome outcome{Reply{NoTask{"all_done", 7}},
                        eventstore::Position{eventstore::ShardId{2}, eventstore::Offset{9}}, true};
  const Message reply = to_message(outcome, from_, topic_, sender_);
  EXPECT_EQ(reply.partition, 3);
  carry(reply, [&](const auto& m) {
    const ReceivedReply got = to_reply(m);
    EXPECT_EQ(got.node, "node-1");
    EXPECT_EQ(got.command_id, "node-1/17");
    EXPECT_EQ(to_json(outcome_from_json(got.outcome)), to_json(outcome));
  });
}

}  // namespace
}  // namespace annolog::commands::envelope_message_test
