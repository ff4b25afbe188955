#include "commands/process_managers/shard_turns.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

namespace annolog::commands::shard_turns_test {
namespace {

struct Job {
  int number = 0;
  std::string remembers = {};
  bool operator==(const Job& other) const { return number == other.number; }
};

constexpr eventstore::ShardId kEven{0};
constexpr eventstore::ShardId kOdd{1};

class Turns : public ::testing::Test {
 protected:
  int take() { return turns.take().value().number; }

  ShardTurns<Job> turns{[](const Job& job) { return job.number % 2 == 0 ? kEven : kOdd; }};
};

TEST_F(Turns, go_round) {
  turns.own(kEven, {{2}, {4}});
  turns.add({6});
  EXPECT_EQ(take(), 2);
  turns.put_back({2});
  EXPECT_EQ(take(), 4);
  EXPECT_EQ(take(), 6);
  EXPECT_EQ(take(), 2);
}

TEST_F(Turns, a_job_waits_once) {
  turns.own(kEven, {{2}, {4}});
  turns.own(kEven, {{2}});
  turns.add({2});
  EXPECT_EQ(take(), 2);
  EXPECT_EQ(take(), 4);
  turns.add({6});
  EXPECT_EQ(take(), 6);
}

TEST_F(Turns, one_added_while_in_hand_comes_once_more) {
  turns.own(kEven, {{2}});
  EXPECT_EQ(take(), 2);
  turns.add({2});
  EXPECT_EQ(take(), 2);
}

TEST_F(Turns, one_added_while_in_hand_keeps_what_it_remembers_when_put_back) {
  turns.own(kEven, {{2}});
  EXPECT_EQ(take(), 2);
  turns.add({2});
  turns.put_back({2, "half way"});
  EXPECT_EQ(turns.take()->remembers, "half way");
  turns.add({4});
  EXPECT_EQ(take(), 4);
}

TEST_F(Turns, jobs_of_a_lost_shard_are_forgotten) {
  turns.own(kEven, {{2}, {4}});
  turns.own(kOdd, {{1}});
  EXPECT_EQ(take(), 2);
  turns.disown(kEven);
  turns.put_back({2});
  EXPECT_EQ(take(), 1);
  turns.put_back({1});
  EXPECT_EQ(take(), 1);
}

TEST_F(Turns, one_who_waits_gets_what_is_added) {
  auto taken = std::async(std::launch::async, [&] { return take(); });
  turns.add({2});
  EXPECT_EQ(taken.get(), 2);
}

TEST_F(Turns, finishing_ends_every_wait) {
  auto taken = std::async(std::launch::async, [&] { return turns.take().has_value(); });
  auto rested = std::async(std::launch::async, [&] { turns.rest(std::chrono::hours(1)); });
  turns.finish();
  EXPECT_FALSE(taken.get());
  rested.get();
  turns.add({2});
  EXPECT_FALSE(turns.take());
  EXPECT_TRUE(turns.finishing());
}

}  // namespace
}  // namespace annolog::commands::shard_turns_test
