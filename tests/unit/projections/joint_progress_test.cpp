// The barrier of a node that has read models in two places stands where the slower one is.
#include "projections/engine/joint_progress.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace annolog::projections::joint_progress_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;

constexpr ShardId kFirst{0};
constexpr ShardId kSecond{1};

class JointProgressTest : public testing::Test {
 protected:
  std::uint64_t at(ShardId shard) const { return barrier_.applied(shard).value; }
  ReadBarrier barrier_{2};
  JointProgress joint_{barrier_, 2};
};

TEST_F(JointProgressTest, either_alone_moves_nothing) {
  joint_.in_database(kFirst, Offset{5});
  EXPECT_EQ(at(kFirst), 0U);
  joint_.in_memory(kSecond, Offset{5});
  EXPECT_EQ(at(kSecond), 0U);
}

TEST_F(JointProgressTest, stands_where_the_slower_one_is) {
  joint_.in_database(kFirst, Offset{5});
  joint_.in_memory(kFirst, Offset{3});
  EXPECT_EQ(at(kFirst), 3U);
  joint_.in_memory(kFirst, Offset{9});
  EXPECT_EQ(at(kFirst), 5U);
  joint_.in_database(kFirst, Offset{9});
  EXPECT_EQ(at(kFirst), 9U);
  EXPECT_EQ(at(kSecond), 0U);
}

TEST_F(JointProgressTest, goes_back_with_a_database_that_lost_its_last_commits) {
  joint_.in_memory(kFirst, Offset{9});
  joint_.in_database(kFirst, Offset{9});
  joint_.in_database(kFirst, Offset{4});
  EXPECT_EQ(at(kFirst), 4U);
}

TEST_F(JointProgressTest, is_stale_while_the_database_shows_more_than_was_heard) {
  ReadBarrier barrier(2, std::chrono::milliseconds(0));
  JointProgress joint(barrier, 2);
  joint.in_memory(kFirst, Offset{5});
  EXPECT_FALSE(barrier.is_stale(kFirst));
  joint.in_database(kFirst, Offset{6});
  EXPECT_TRUE(barrier.is_stale(kFirst));
  EXPECT_FALSE(barrier.is_stale(kSecond));
  joint.in_memory(kFirst, Offset{6});
  EXPECT_FALSE(barrier.is_stale(kFirst));
}

TEST_F(JointProgressTest, has_time_for_each_position_that_the_database_shows) {
  joint_.in_database(kFirst, Offset{5});
  const auto first = barrier_.stale_from(kFirst);
  joint_.in_memory(kFirst, Offset{4});
  joint_.in_database(kFirst, Offset{7});
  EXPECT_EQ(barrier_.stale_from(kFirst), first) << "5 has not come";
  joint_.in_memory(kFirst, Offset{6});
  EXPECT_GT(barrier_.stale_from(kFirst), first) << "7 has its own time";
  joint_.in_memory(kFirst, Offset{8});
  EXPECT_EQ(barrier_.stale_from(kFirst), ReadBarrier::Deadline::max());
}

TEST_F(JointProgressTest, waiters_hear_of_it) {
  bool reached = false;
  barrier_.when_reached(kFirst, Offset{5}, std::chrono::steady_clock::now() + std::chrono::hours(1),
                        [&](bool it_is) { reached = it_is; });
  joint_.in_memory(kFirst, Offset{7});
  EXPECT_FALSE(reached);
  joint_.in_database(kFirst, Offset{5});
  EXPECT_TRUE(reached);
}

TEST_F(JointProgressTest, both_may_tell_at_the_same_time) {
  constexpr std::uint64_t kSteps = 20'000;
  std::thread database([&] {
    for (std::uint64_t i = 1; i <= kSteps; ++i) joint_.in_database(kFirst, Offset{i});
  });
  for (std::uint64_t i = 1; i <= kSteps; ++i) {
    joint_.in_memory(kFirst, Offset{i});
    ASSERT_LE(at(kFirst), i);
  }
  database.join();
  EXPECT_EQ(at(kFirst), kSteps);
}

}  // namespace
}  // namespace annolog::projections::joint_progress_test
