// Who waits for something to happen in a project hears of it, and PostgreSQL is asked for nothing.
#include "api/change_watch.hpp"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <stdexcept>

#include "platform/clock.hpp"

namespace annolog::api::change_watch_test {
namespace {

using namespace std::chrono_literals;
using eventstore::Offset;
using eventstore::ShardId;
using Heard = ChangeWatch::Heard;

constexpr std::uint16_t kShards = 4;
constexpr auto kSoon = 20s;  // what is awaited comes long before

// The rows that PostgreSQL would have, and how often it was asked.
class ChangeWatchTest : public ::testing::Test {
 protected:
  ChangeWatchTest() { watch_.start(); }

  void happens(std::int64_t project, std::int64_t offset) {
    {
      const std::lock_guard guard(mutex_);
      events_.emplace(project, offset);
      reached_.at(shard_of(project)) = offset;
    }
    barrier_.set(ShardId(shard_of(project)), Offset(static_cast<std::uint64_t>(offset)));
  }

  std::future<Heard> wait(std::int64_t project, std::int64_t after,
                          std::chrono::milliseconds longest = 1h) {
    const auto promise = std::make_shared<std::promise<Heard>>();
    watch_.wait({ProjectId{project}, ShardId(shard_of(project)), after},
                ChangeWatch::Clock::now() + longest,
                [promise](Heard heard) { promise->set_value(heard); });
    return promise->get_future();
  }

  static Heard heard(std::future<Heard> future) {
    EXPECT_EQ(future.wait_for(kSoon), std::future_status::ready);
    return future.get();
  }

  std::size_t asked() {
    const std::lock_guard guard(mutex_);
    return asked_;
  }

  void break_down(std::size_t times) {
    const std::lock_guard guard(mutex_);
    failures_ = times;
  }

  static std::uint16_t shard_of(std::int64_t project) {
    return static_cast<std::uint16_t>(project % kShards);
  }

  ChangeWatch::News ask(std::span<const ChangeWatch::Place> places) {
    const std::lock_guard guard(mutex_);
    ++asked_;
    if (failures_ > 0) {
      --failures_;
      throw std::runtime_error("PostgreSQL is away");
    }
    ChangeWatch::News news{{}, reached_};
    for (const auto& place : places) {
      const auto next = events_.upper_bound({place.project_id.value, place.after});
      news.any.push_back(next != events_.end() && next->first == place.project_id.value);
    }
    return news;
  }

  projections::ReadBarrier barrier_{kShards};
  platform::SystemClock clock_;
  platform::Logger logger_{clock_, platform::LogLevel::error, [](std::string_view) {}};
  std::mutex mutex_;
  std::set<std::pair<std::int64_t, std::int64_t>> events_;
  std::vector<std::int64_t> reached_ = std::vector<std::int64_t>(kShards);
  std::size_t asked_ = 0;
  std::size_t failures_ = 0;
  ChangeWatch watch_{{.barrier = barrier_,
                      .logger = logger_,
                      .ask = [this](auto places) { return ask(places); },
                      .shards = kShards,
                      .pause = 1ms,
                      .retry = 5ms}};
};

TEST_F(ChangeWatchTest, who_waits_hears_what_happens_in_the_project) {
  auto waiting = wait(5, 0);
  happens(5, 1);
  EXPECT_TRUE(heard(std::move(waiting)).news);
  EXPECT_EQ(watch_.waiting(), 0U);
}

TEST_F(ChangeWatchTest, what_has_happened_before_is_heard_at_once) {
  happens(5, 7);
  EXPECT_TRUE(heard(wait(5, 6)).news);
}

TEST_F(ChangeWatchTest, nothing_is_asked_while_nothing_happens) {
  EXPECT_FALSE(heard(wait(5, 0, 30ms)).news);
  happens(6, 1);  // in another shard
  EXPECT_FALSE(heard(wait(5, 0, 30ms)).news);
  EXPECT_EQ(asked(), 0U);
}

TEST_F(ChangeWatchTest, another_project_of_the_shard_wakes_nobody_and_is_passed) {
  auto waiting = wait(5, 0, 200ms);
  happens(9, 3);
  const Heard silence = heard(std::move(waiting));
  EXPECT_FALSE(silence.news);
  EXPECT_EQ(silence.after, 3) << "up to there nothing is the project's";
  const std::size_t before = asked();
  EXPECT_FALSE(heard(wait(5, silence.after, 30ms)).news);
  EXPECT_EQ(asked(), before) << "it was looked at";
  auto again = wait(5, silence.after);
  happens(5, 4);
  EXPECT_TRUE(heard(std::move(again)).news);
}

TEST_F(ChangeWatchTest, who_comes_later_with_an_earlier_place_misses_nothing) {
  auto first = wait(9, 0);
  happens(5, 2);
  auto late = wait(5, 1);
  EXPECT_TRUE(heard(std::move(late)).news);
  happens(9, 3);
  EXPECT_TRUE(heard(std::move(first)).news);
}

TEST_F(ChangeWatchTest, one_question_is_about_all_who_wait) {
  std::vector<std::future<Heard>> waiting;
  for (int i = 0; i < 100; ++i) waiting.push_back(wait(5, 0));
  auto other = wait(9, 0);
  happens(5, 1);
  for (auto& one : waiting) EXPECT_TRUE(heard(std::move(one)).news);
  EXPECT_LE(asked(), 3U);
  EXPECT_EQ(other.wait_for(0s), std::future_status::timeout);
}

TEST_F(ChangeWatchTest, goes_on_when_postgres_was_away) {
  break_down(2);
  auto waiting = wait(5, 0);
  happens(5, 1);
  EXPECT_TRUE(heard(std::move(waiting)).news);
  EXPECT_EQ(asked(), 3U);
}

TEST_F(ChangeWatchTest, goes_on_when_the_barrier_was_lost) {
  barrier_.lose();
  auto waiting = wait(5, 0);
  barrier_.regain();
  happens(5, 1);
  EXPECT_TRUE(heard(std::move(waiting)).news);
}

TEST_F(ChangeWatchTest, what_postgres_lost_and_got_again_is_heard) {
  happens(5, 9);
  {
    const std::lock_guard guard(mutex_);
    reached_.at(1) = 4;  // the barrier does not know yet
    events_.clear();
  }
  auto waiting = wait(5, 6);
  barrier_.set(ShardId{1}, Offset{4});
  happens(5, 9);
  EXPECT_TRUE(heard(std::move(waiting)).news);
}

TEST_F(ChangeWatchTest, everybody_is_let_go_when_it_ends) {
  auto waiting = wait(5, 8);
  watch_.stop();
  const Heard last = heard(std::move(waiting));
  EXPECT_FALSE(last.news);
  EXPECT_EQ(last.after, 8);
  EXPECT_FALSE(heard(wait(5, 0)).news);
}

}  // namespace
}  // namespace annolog::api::change_watch_test
