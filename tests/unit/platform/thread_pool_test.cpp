#include "platform/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace annolog::platform::thread_pool_test {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong(60'000);  // reached only when something is broken

// Holds the one thread of a pool until open() is called.
class Gate {
 public:
  Task task() {
    return [this] {
      entered_.set_value();
      opened_.get_future().wait();
    };
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> opened_;
};

TEST(ThreadPool, runs_move_only_tasks_in_order) {
  std::vector<int> seen;
  ThreadPool pool({.name = "test", .threads = 1, .queue_limit = 10});
  for (int i = 0; i < 10; ++i) {
    auto value = std::make_unique<int>(i);
    std::promise<void> done;
    auto finished = done.get_future();
    ASSERT_TRUE(pool.try_post([&seen, value = std::move(value), done = std::move(done)]() mutable {
      seen.push_back(*value);
      done.set_value();
    }));
    finished.wait();
  }
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(ThreadPool, says_no_when_the_queue_is_full) {
  Gate gate;
  std::atomic<int> ran = 0;
  ThreadPool pool({.name = "test", .threads = 1, .queue_limit = 2});
  ASSERT_TRUE(pool.try_post(gate.task()));
  gate.wait_until_entered();
  EXPECT_TRUE(pool.try_post([&] { ++ran; }));
  EXPECT_TRUE(pool.try_post([&] { ++ran; }));
  EXPECT_FALSE(pool.try_post([&] { ++ran; }));
  EXPECT_EQ(pool.depth(), 2U);
  gate.open();
  EXPECT_EQ(pool.stop(kLong), 0U);
  EXPECT_EQ(ran, 2);
}

TEST(ThreadPool, stop_works_off_the_queue_and_takes_nothing_new) {
  std::atomic<int> ran = 0;
  ThreadPool pool({.name = "test", .threads = 3, .queue_limit = 1000});
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pool.try_post([&] { ++ran; }));
  EXPECT_EQ(pool.stop(kLong), 0U);
  EXPECT_EQ(ran, 1000);
  EXPECT_FALSE(pool.try_post([&] { ++ran; }));
  EXPECT_EQ(pool.stop(kLong), 0U);
  EXPECT_EQ(ran, 1000);
}

TEST(ThreadPool, stop_drops_and_counts_what_its_time_does_not_suffice_for) {
  Gate gate;
  auto owned = std::make_shared<int>(0);
  ThreadPool pool({.name = "test", .threads = 1, .queue_limit = 5});
  ASSERT_TRUE(pool.try_post(gate.task()));
  gate.wait_until_entered();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pool.try_post([owned] { ++*owned; }));
  auto dropped = std::async(std::launch::async, [&] { return pool.stop(milliseconds(0)); });
  // Intake ends first, then the queue is emptied; the running task still holds the pool.
  while (pool.depth() != 0) std::this_thread::yield();
  gate.open();
  EXPECT_EQ(dropped.get(), 3U);
  EXPECT_EQ(*owned, 0);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(ThreadPool, an_exception_is_told_and_the_thread_goes_on) {
  std::promise<std::string> told;
  std::promise<void> after;
  ThreadPool pool({.name = "test",
                   .threads = 1,
                   .queue_limit = 5,
                   .on_exception = [&](std::exception_ptr error) {
                     try {
                       std::rethrow_exception(error);
                     } catch (const std::exception& e) {
                       told.set_value(e.what());
                     }
                   }});
  ASSERT_TRUE(pool.try_post([] { throw std::runtime_error("disk gone"); }));
  ASSERT_TRUE(pool.try_post([&] { after.set_value(); }));
  EXPECT_EQ(told.get_future().get(), "disk gone");
  after.get_future().wait();
}

TEST(ThreadPool, tells_its_depth_after_each_change) {
  Gate gate;
  std::vector<std::size_t> depths;
  ThreadPool pool(
      {.name = "test", .threads = 1, .queue_limit = 5, .on_depth = [&](std::size_t depth) {
         depths.push_back(depth);
       }});
  ASSERT_TRUE(pool.try_post(gate.task()));
  gate.wait_until_entered();
  ASSERT_TRUE(pool.try_post([] {}));
  ASSERT_TRUE(pool.try_post([] {}));
  gate.open();
  pool.stop(kLong);
  EXPECT_EQ(depths, (std::vector<std::size_t>{1, 0, 1, 2, 1, 0}));
}

TEST(ThreadPool, gives_way_where_it_is_told_to) {
  const auto priority = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
  for (const bool gives_way : {false, true}) {
    std::promise<int> told;
    ThreadPool pool({.name = "x", .threads = 1, .queue_limit = 1, .gives_way = gives_way});
    ASSERT_TRUE(pool.try_post([&] { told.set_value(priority()); }));
    EXPECT_EQ(told.get_future().get(), gives_way ? std::max(10, priority()) : priority());
  }
}

TEST(ThreadPool, needs_a_thread_and_a_place) {
  EXPECT_THROW(ThreadPool({.name = "x", .threads = 0, .queue_limit = 1}), std::invalid_argument);
  EXPECT_THROW(ThreadPool({.name = "x", .threads = 1, .queue_limit = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace annolog::platform::thread_pool_test
