// What waits for a writer: its order, its groups, and how long a group is kept open.
#include "commands/kafka/command_queue.hpp"

#include <gmock/gmock.h>

#include <thread>

namespace annolog::commands::command_queue_test {
namespace {

using namespace std::chrono_literals;
using eventstore::ShardId;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::chrono::minutes kLong{10};  // longer than any test may take
constexpr Patience kPatient{kLong, kLong};

bool push(CommandQueue& queue, std::int64_t number, ShardId shard = ShardId{1}, bool own = false) {
  WaitingCommand command{.shard = shard, .kafka_offset = number, .message = nullptr, .own = {}};
  if (own) command.own.emplace();
  return queue.push(command);
}

std::vector<std::int64_t> numbers(const std::vector<WaitingCommand>& commands) {
  std::vector<std::int64_t> numbers;
  for (const auto& command : commands) numbers.push_back(command.kafka_offset);
  return numbers;
}

TEST(CommandQueue, gives_what_waits_in_its_order) {
  CommandQueue queue;
  for (const std::int64_t number : {3, 1, 2}) push(queue, number);
  EXPECT_THAT(numbers(queue.next_group()), ElementsAre(3, 1, 2));
}

TEST(CommandQueue, gives_no_more_than_a_group_holds) {
  CommandQueue queue;
  for (std::size_t i = 0; i <= CommandQueue::kGroupMax; ++i)
    push(queue, static_cast<std::int64_t>(i));
  EXPECT_EQ(queue.next_group().size(), CommandQueue::kGroupMax);
  EXPECT_THAT(numbers(queue.next_group()), ElementsAre(CommandQueue::kGroupMax));
}

TEST(CommandQueue, keeps_a_group_open_for_as_many_as_the_last_one_had) {
  CommandQueue queue(kPatient);
  for (const std::int64_t number : {1, 2, 3}) push(queue, number);
  // The first group has nobody to wait for.
  ASSERT_EQ(queue.next_group().size(), 3U);
  push(queue, 4);
  std::jthread callers([&] {
    for (const std::int64_t number : {5, 6, 7}) push(queue, number);
  });
  EXPECT_THAT(numbers(queue.next_group()), ElementsAre(4, 5, 6, 7));
}

// Of two who were answered one comes back.
void expect_group_of_one(Patience patience) {
  CommandQueue queue(patience);
  push(queue, 1);
  push(queue, 2);
  ASSERT_EQ(queue.next_group().size(), 2U);
  push(queue, 3);
  EXPECT_THAT(numbers(queue.next_group()), ElementsAre(3));
}

TEST(CommandQueue, a_caller_who_does_not_come_back_holds_up_nobody_for_long) {
  expect_group_of_one({1ms, kLong});
}

TEST(CommandQueue, callers_together_are_not_waited_for_for_ever) {
  expect_group_of_one({kLong, 5ms});
}

TEST(CommandQueue, one_shards_commands_can_be_taken_out) {
  CommandQueue queue;
  push(queue, 1, ShardId{1}, true);
  push(queue, 2, ShardId{2});
  push(queue, 3, ShardId{1});
  EXPECT_THAT(numbers(queue.take_out(ShardId{1})), ElementsAre(1, 3));
  const auto waiting = queue.waiting();
  EXPECT_EQ(waiting.own, 0U);
  EXPECT_EQ(waiting.of_topic, 1U);
}

TEST(CommandQueue, counts_own_commands_and_those_of_the_topic) {
  CommandQueue queue;
  push(queue, 1, ShardId{1}, true);
  push(queue, 2);
  push(queue, 3);
  EXPECT_EQ(queue.waiting().own, 1U);
  EXPECT_EQ(queue.waiting().of_topic, 2U);
  queue.next_group();
  EXPECT_EQ(queue.waiting().own, 0U);
  EXPECT_EQ(queue.waiting().of_topic, 0U);
}

TEST(CommandQueue, a_group_is_done_when_the_next_one_is_asked_for) {
  CommandQueue queue({1ms, 1ms});
  push(queue, 1);
  ASSERT_EQ(queue.next_group().size(), 1U);
  queue.wait_until_done(ShardId{2}, kLong);  // has nothing of it
  std::jthread writer([&] { EXPECT_THAT(queue.next_group(), IsEmpty()); });
  queue.wait_until_done(ShardId{1}, kLong);
  queue.close();
}

TEST(CommandQueue, takes_and_gives_nothing_once_it_is_closed) {
  CommandQueue queue(kPatient);
  push(queue, 1, ShardId{1}, true);
  ASSERT_EQ(queue.next_group().size(), 1U);
  push(queue, 2);
  std::jthread closer([&] { queue.close(); });
  queue.wait_until_closed(kLong);
  EXPECT_TRUE(queue.is_closed());
  EXPECT_FALSE(push(queue, 3));
  EXPECT_THAT(queue.next_group(), IsEmpty());
  EXPECT_THAT(numbers(queue.take_all()), ElementsAre(2)) << "what waits can be sent elsewhere";
}

}  // namespace
}  // namespace annolog::commands::command_queue_test
