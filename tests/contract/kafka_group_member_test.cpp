// The messages of a member's shards: in their order, each once, from where the group stands. And
// who can't do the work leaves it to the others.
#include "eventstore/kafka/group_member.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/group_members.hpp"
#include "eventstore/kafka/transactional_producer.hpp"
#include "tests/contract/kafka_scratch.hpp"

namespace annolog::eventstore::kafka::kafka_group_member_test {
namespace {

using testing::ElementsAre;

constexpr ShardId kShard{0};
constexpr int kWaitMs = 30'000;

class KafkaGroupMember : public KafkaScratchTest {
 protected:
  void SetUp() override {
    KafkaScratchTest::SetUp();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("commands", 2);
    producer_ = std::make_unique<TransactionalProducer>(scratch_->connection, scratch_->prefix,
                                                        kLongWait, after(kLongWait));
  }
  void TearDown() override { member_.reset(); }

  void send(const std::vector<std::string>& values) {
    std::vector<Message> messages;
    for (const std::string& value : values) messages.push_back({topic_, kShard.value, "", value});
    ASSERT_EQ(producer_->run(messages, {}, after(kLongWait)).outcome,
              TransactionOutcome::committed);
  }
  void join() {
    member_ = std::make_unique<GroupMember>(
        GroupOptions{
            .connection = scratch_->connection, .group = scratch_->prefix, .topic = topic_},
        GroupHandlers{.assigned = [](auto) {},
                      .revoked = [](auto, bool) {},
                      .message =
                          [this](KafkaMessage message) {
                            const std::lock_guard guard(mutex_);
                            values_.emplace_back(static_cast<const char*>(message->payload),
                                                 message->len);
                            came_.notify_all();
                          },
                      .full =
                          [this] {
                            ++asked_;
                            return full_.load();
                          }});
    member_->start();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock guard(mutex_);
    came_.wait_for(guard, kLongWait, [&] { return values_.size() >= count; });
    return values_;
  }
  void wait_until_paused() {
    const int before = asked_;
    const Deadline deadline = after(kLongWait);
    while (asked_ < before + 2 && ms_until(deadline) > 0) std::this_thread::yield();
  }
  // As the cluster does when they are old.
  void remove_before(std::int64_t offset) {
    const Partitions before = partition_list(topic_, {{kShard.value, offset}});
    auto* request = rd_kafka_DeleteRecords_new(before.get());
    const Queue queue(rd_kafka_queue_new(scratch_->client.get()));
    rd_kafka_DeleteRecords(scratch_->client.get(), &request, 1, nullptr, queue.get());
    auto* event = rd_kafka_queue_poll(queue.get(), kWaitMs);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_event_destroy(event);
    rd_kafka_DeleteRecords_destroy(request);
  }

  std::string topic_;
  std::unique_ptr<TransactionalProducer> producer_;
  std::unique_ptr<GroupMember> member_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> values_;
  std::atomic<bool> full_{false};
  std::atomic<int> asked_{0};  // whether there is room
};

TEST_F(KafkaGroupMember, a_new_group_begins_at_the_first_message) {
  send({"a", "b"});
  join();
  wait_for(2);
  send({"c"});
  EXPECT_THAT(wait_for(3), ElementsAre("a", "b", "c"));
}

TEST_F(KafkaGroupMember, messages_that_were_removed_are_passed_over) {
  send({"a", "b", "c"});
  send({"d"});
  remove_before(2);
  join();
  EXPECT_THAT(wait_for(2), ElementsAre("c", "d"));
}

TEST_F(KafkaGroupMember, a_place_that_is_gone_is_left_for_the_next_one) {
  send({"a", "b"});
  join();
  wait_for(2);
  full_ = true;
  wait_until_paused();
  send({"c"});
  send({"d", "e"});
  remove_before(5);  // two, a mark, one, a mark
  full_ = false;
  EXPECT_THAT(wait_for(4), ElementsAre("a", "b", "d", "e"));
  send({"f"});
  EXPECT_THAT(wait_for(5), ElementsAre("a", "b", "d", "e", "f"));
}

// What a member owns.
struct Owner {
  Owner(const Connection& connection, const std::string& group, const std::string& topic)
      : member(GroupOptions{.connection = connection, .group = group, .topic = topic},
               GroupHandlers{.assigned = [this](auto came) { change(came, 1); },
                             .revoked = [this](auto went, bool) { change(went, -1); },
                             .disabled = [this] { return disabled.load(); }}) {
    member.start();
  }
  void change(std::span<const ShardId> which, int by) {
    const std::lock_guard guard(mutex);
    shards += by * static_cast<int>(which.size());
    changed.notify_all();
  }
  bool comes_to_own(int count) {
    std::unique_lock guard(mutex);
    return changed.wait_for(guard, kLongWait, [&] { return shards == count; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  int shards = 0;
  std::atomic<bool> disabled{false};
  GroupMember member;
};

TEST_F(KafkaGroupMember, one_that_the_group_does_not_know_can_commit_nothing_for_it) {
  const GroupMember stranger(
      GroupOptions{.connection = scratch_->connection, .group = scratch_->prefix, .topic = topic_},
      {});
  EXPECT_EQ(stranger.metadata(), nullptr);
  send({"a"});
  join();
  wait_for(1);
  EXPECT_NE(member_->metadata(), nullptr);
}

// While it waits for news of others, each question that it asks the broker waits as well.
TEST_F(KafkaGroupMember, many_partitions_that_come_to_one_that_reads_others_are_read) {
  constexpr std::int32_t kMany = 64;
  topic_ = scratch_->create_topic("many", kMany);
  send({"a"});
  join();
  wait_for(1);
  {
    std::atomic<std::size_t> theirs = 0;
    GroupMember other(
        GroupOptions{
            .connection = scratch_->connection, .group = scratch_->prefix, .topic = topic_},
        GroupHandlers{.assigned = [&](auto shards) { theirs += shards.size(); },
                      .revoked = [](auto, bool) {}});
    other.start();
    const Deadline deadline = after(kLongWait);
    while (theirs < kMany / 2 && ms_until(deadline) > 0) std::this_thread::yield();
    EXPECT_EQ(theirs, kMany / 2);
  }
  std::vector<Message> messages;
  for (std::int32_t i = 0; i < kMany; ++i) messages.push_back({topic_, i, "", "b"});
  ASSERT_EQ(producer_->run(messages, {}, after(kLongWait)).outcome, TransactionOutcome::committed);
  std::unique_lock guard(mutex_);
  EXPECT_TRUE(came_.wait_for(guard, kLongWait, [&] {
    return std::ranges::count(values_, "b") == kMany;
  })) << values_.size();
}

TEST_F(KafkaGroupMember, one_that_is_disabled_leaves_its_shards_to_others_until_it_is_well) {
  Owner one(scratch_->connection, scratch_->prefix, topic_);
  ASSERT_TRUE(one.comes_to_own(2));
  Owner other(scratch_->connection, scratch_->prefix, topic_);
  ASSERT_TRUE(other.comes_to_own(1));
  one.disabled = true;
  EXPECT_TRUE(one.comes_to_own(0));
  EXPECT_TRUE(one.member.is_away());
  EXPECT_TRUE(other.comes_to_own(2));
  one.disabled = false;
  EXPECT_TRUE(one.comes_to_own(1));
  EXPECT_FALSE(one.member.is_away());
}

TEST_F(KafkaGroupMember, one_that_is_disabled_works_on_when_nobody_else_is_there) {
  Owner one(scratch_->connection, scratch_->prefix, topic_);
  ASSERT_TRUE(one.comes_to_own(2));
  auto other = std::make_unique<Owner>(scratch_->connection, scratch_->prefix, topic_);
  ASSERT_TRUE(one.comes_to_own(1));
  one.disabled = true;
  ASSERT_TRUE(one.comes_to_own(0));
  other.reset();
  EXPECT_TRUE(one.comes_to_own(2)) << "it comes back";
}

TEST_F(KafkaGroupMember, who_is_in_the_group_is_not_known_while_the_cluster_refuses_to_talk) {
  Connection nobody{"127.0.0.1:1"};
  nobody.warn = [](std::string_view) {};
  const Client client(RD_KAFKA_CONSUMER, nobody, {{"group.id", "nobody"}});
  EXPECT_THROW(members_of(client, "nobody", after(std::chrono::milliseconds(500))), LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_group_member_test
