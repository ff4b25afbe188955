#include "projections/engine/read_barrier.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace annolog::projections::read_barrier_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;
using namespace std::chrono_literals;

ReadBarrier::Deadline in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

TEST(ReadBarrier, AnswersAtOnceWhatIsReached) {
  ReadBarrier barrier(2);
  barrier.set(ShardId{1}, Offset{5});
  EXPECT_TRUE(barrier.wait(ShardId{1}, Offset{5}, in(0ms)));
  EXPECT_TRUE(barrier.reached({ShardId{1}, Offset{4}}));
  EXPECT_FALSE(barrier.reached({ShardId{0}, Offset{1}}));
}

TEST(ReadBarrier, GivesUpAtTheDeadline) {
  ReadBarrier barrier(1);
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{1}, in(0ms)));
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{1}, in(5ms)));
  EXPECT_EQ(barrier.waiting(), 0U);
}

TEST(ReadBarrier, WakesTheWaitersItHasReachedAndNoOthers) {
  ReadBarrier barrier(2);
  std::vector<int> called;
  const auto note = [&](int number) {
    return [&called, number](bool reached) { called.push_back(reached ? number : -number); };
  };
  barrier.when_reached(ShardId{0}, Offset{3}, in(1h), note(3));
  barrier.when_reached(ShardId{0}, Offset{2}, in(1h), note(2));
  barrier.when_reached(ShardId{1}, Offset{2}, in(1h), note(9));
  barrier.set(ShardId{0}, Offset{2});
  EXPECT_EQ(called, (std::vector<int>{2}));
  barrier.set(ShardId{0}, Offset{7});
  EXPECT_EQ(called, (std::vector<int>{2, 3}));
  EXPECT_EQ(barrier.waiting(), 1U);
  barrier.close();
  EXPECT_EQ(called, (std::vector<int>{2, 3, -9}));
  barrier.when_reached(ShardId{1}, Offset{2}, in(1h), note(8));
  EXPECT_EQ(called.back(), -8);
}

TEST(ReadBarrier, HoldsNobodyUpForWhoIsInNoHurry) {
  ReadBarrier barrier(1);
  int hurried = 0;
  barrier.on_wait([&] { ++hurried; });
  std::vector<bool> called;
  const auto note = [&](bool reached) { called.push_back(reached); };
  barrier.when_reached(ShardId{0}, Offset{1}, in(1h), note, ReadBarrier::Hurry::no);
  EXPECT_EQ(barrier.waiting(), 0U);
  EXPECT_EQ(hurried, 0);
  barrier.when_reached(ShardId{0}, Offset{1}, in(1h), note);
  EXPECT_EQ(barrier.waiting(), 1U);
  EXPECT_EQ(hurried, 1);
  barrier.set(ShardId{0}, Offset{1});
  EXPECT_EQ(called, (std::vector<bool>{true, true}));
  EXPECT_EQ(barrier.waiting(), 0U);
  barrier.when_reached(ShardId{0}, Offset{2}, in(1h), note, ReadBarrier::Hurry::no);
  barrier.lose();
  EXPECT_EQ(called.back(), false);
  EXPECT_EQ(barrier.waiting(), 0U);
}

TEST(ReadBarrier, MayGoBack) {
  ReadBarrier barrier(1);
  barrier.set(ShardId{0}, Offset{5});
  barrier.set(ShardId{0}, Offset{3});
  EXPECT_EQ(barrier.applied(ShardId{0}), Offset{3});
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{5}, in(0ms)));
}

TEST(ReadBarrier, CountsNothingAsReachedWhileTheDatabaseIsAway) {
  ReadBarrier barrier(2);
  barrier.set(ShardId{0}, Offset{5});
  std::vector<bool> called;
  const auto note = [&](bool reached) { called.push_back(reached); };
  barrier.when_reached(ShardId{1}, Offset{1}, in(1h), note);
  barrier.lose();
  EXPECT_EQ(called, (std::vector<bool>{false})) << "who waits learns it at once";
  EXPECT_EQ(barrier.waiting(), 0U);
  EXPECT_FALSE(barrier.reached({ShardId{0}, Offset{5}}));
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{5}, in(1h))) << "and nobody begins to wait";
  barrier.set(ShardId{0}, Offset{4});  // a crash of PostgreSQL took the last one back
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{4}, in(1h)));
  barrier.regain();
  EXPECT_TRUE(barrier.wait(ShardId{0}, Offset{4}, in(0ms)));
  EXPECT_FALSE(barrier.wait(ShardId{0}, Offset{5}, in(0ms)));
  barrier.when_reached(ShardId{0}, Offset{5}, in(1h), note);
  barrier.set(ShardId{0}, Offset{5});
  EXPECT_EQ(called, (std::vector<bool>{false, true}));
}

TEST(ReadBarrier, TellsThatSomeoneBeginsToWait) {
  ReadBarrier barrier(1);
  int told = 0;
  barrier.on_wait([&] { ++told; });
  barrier.set(ShardId{0}, Offset{1});
  barrier.wait(ShardId{0}, Offset{1}, in(0ms));
  EXPECT_EQ(told, 0);
  barrier.when_reached(ShardId{0}, Offset{2}, in(1h), [](bool) {});
  EXPECT_EQ(told, 1);
}

TEST(ReadBarrier, ManyWaitersAndASetterAgree) {
  ReadBarrier barrier(1);
  std::vector<std::thread> waiters;
  std::atomic<int> reached{0};
  for (std::uint64_t i = 1; i <= 8; ++i) {
    waiters.emplace_back([&, i] {
      for (std::uint64_t n = i; n <= 400; n += 8) {
        reached += barrier.wait(ShardId{0}, Offset{n}, in(60s)) ? 1 : 0;
      }
    });
  }
  for (std::uint64_t n = 1; n <= 400; ++n) barrier.set(ShardId{0}, Offset{n});
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(reached, 400);
}

TEST(ReadBarrier, IsStaleOnceItHasBeenBehindOthersForTooLong) {
  ReadBarrier patient(2, 1h);
  patient.behind_others(ShardId{1}, true);
  EXPECT_FALSE(patient.is_stale(ShardId{1}));
  ReadBarrier barrier(2, 0ms);
  EXPECT_FALSE(barrier.is_stale(ShardId{1}));
  barrier.behind_others(ShardId{1}, true);
  EXPECT_TRUE(barrier.is_stale(ShardId{1}));
  EXPECT_FALSE(barrier.is_stale(ShardId{0}));
  EXPECT_EQ(barrier.stale_shards(), 1U);
  barrier.behind_others(ShardId{1}, false);
  EXPECT_FALSE(barrier.is_stale(ShardId{1}));
}

TEST(ReadBarrier, CountsFromWhereItFellBehind) {
  ReadBarrier barrier(1);
  barrier.behind_others(ShardId{0}, true);
  const auto from = barrier.stale_from(ShardId{0});
  barrier.behind_others(ShardId{0}, true);
  EXPECT_EQ(barrier.stale_from(ShardId{0}), from);
}

TEST(ReadBarrier, CallsBackExactlyOnceWhenDeadlineAndArrivalRace) {
  ReadBarrier barrier(1);
  std::atomic<int> calls{0};
  for (std::uint64_t n = 1; n <= 500; ++n) {
    barrier.when_reached(ShardId{0}, Offset{n}, in(1ms), [&](bool) { ++calls; });
    barrier.set(ShardId{0}, Offset{n - n % 2});
  }
  barrier.close();
  while (calls < 500) std::this_thread::yield();
  EXPECT_EQ(calls, 500);
}

}  // namespace
}  // namespace annolog::projections::read_barrier_test
