// What a process knows of a shard: the tail and its own commits, in any order, say it once.
#include "eventstore/kafka/followed_shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/contract/chained_records.hpp"

namespace annolog::eventstore::kafka::followed_shard_test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr ShardId kShard{3};

class FollowedShardTest : public testing::Test {
 protected:
  FollowedShardTest() { shard_.begin_at(begin_.offset, begin_.chain); }

  void expect_end(const std::vector<Record>& records) {
    EXPECT_EQ(shard_.end(), end_of(records).offset);
    EXPECT_EQ(shard_.chain(), end_of(records).chain);
  }
  // Offsets after the beginning that readers would be given.
  std::size_t kept() const {
    const auto found = recent_.read(kShard, begin_.offset, {});
    return found ? found->size() : 0;
  }
  void expect_damage(std::vector<Record> records, std::uint64_t offset, const char* why) {
    try {
      shard_.follow(std::move(records));
      FAIL() << "followed";
    } catch (const LogCorrupted& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("shard 3"), HasSubstr(std::to_string(offset)), HasSubstr(why)));
    }
  }

  const ChainEnd begin_{Offset{10}, ChainHasher().genesis(kShard, 4)};
  const std::vector<Record> records_ = chained_records(kShard, begin_, 6);  // 11 to 16
  RecentRecords recent_{4, 1U << 20U};
  FollowedShard shard_{kShard, recent_};
};

TEST_F(FollowedShardTest, begins_where_it_was_found) {
  EXPECT_EQ(shard_.end(), begin_.offset);
  EXPECT_EQ(shard_.chain(), begin_.chain);
}

TEST_F(FollowedShardTest, follows_and_says_whether_the_end_has_moved) {
  EXPECT_TRUE(shard_.follow(slice(records_, 0, 2)));
  expect_end(slice(records_, 0, 2));
  EXPECT_TRUE(shard_.follow(slice(records_, 2, 6)));
  expect_end(records_);
  EXPECT_EQ(kept(), 6U);
  EXPECT_FALSE(shard_.follow({}));
}

TEST_F(FollowedShardTest, what_comes_twice_counts_once) {
  shard_.follow(slice(records_, 0, 4));
  EXPECT_FALSE(shard_.follow(slice(records_, 0, 4)));
  EXPECT_FALSE(shard_.follow(slice(records_, 1, 2)));
  EXPECT_TRUE(shard_.follow(slice(records_, 2, 6)));
  expect_end(records_);
  EXPECT_EQ(kept(), 6U);
}

TEST_F(FollowedShardTest, what_lies_before_its_beginning_is_passed_over) {
  const auto old = chained_records(kShard, {Offset{7}, {}}, 3);  // 8 to 10
  EXPECT_FALSE(shard_.follow(old));
  EXPECT_EQ(shard_.chain(), begin_.chain);
}

TEST_F(FollowedShardTest, a_gap_is_damage_at_the_record_that_is_missing) {
  expect_damage(slice(records_, 1, 3), 11, "missing");
  shard_.follow(slice(records_, 0, 2));
  expect_damage(slice(records_, 3, 4), 13, "missing");
  EXPECT_EQ(shard_.end(), Offset{12});
}

TEST_F(FollowedShardTest, altered_bytes_are_damage) {
  for (const auto& alter : std::vector<std::function<void(Record&)>>{
           [](Record& r) { r.data += "x"; }, [](Record& r) { r.headers.actor = "user/9"; },
           [](Record& r) { r.headers.time_ms += 1; },
           [](Record& r) { r.headers.schema_version = 2; },
           [](Record& r) { r.last_of_command = false; }, [](Record& r) { r.chain[31] ^= 1U; }}) {
    auto altered = slice(records_, 0, 1);
    alter(altered[0]);
    expect_damage(altered, 11, "chain");
    EXPECT_EQ(shard_.end(), begin_.offset);
  }
}

TEST_F(FollowedShardTest, another_history_of_the_same_length_is_damage) {
  shard_.follow(slice(records_, 0, 3));
  const auto other = chained_records(kShard, begin_, 6, "other");
  expect_damage(slice(other, 3, 4), 14, "chain");
}

TEST_F(FollowedShardTest, after_damage_the_good_ones_can_still_be_followed) {
  expect_damage(slice(records_, 2, 4), 11, "missing");
  EXPECT_TRUE(shard_.follow(records_));
  expect_end(records_);
}

TEST_F(FollowedShardTest, its_own_commit_moves_the_end) {
  shard_.hold();
  EXPECT_TRUE(shard_.release(slice(records_, 0, 2)));
  expect_end(slice(records_, 0, 2));
  EXPECT_FALSE(shard_.follow(slice(records_, 0, 2))) << "the tail comes after";
  EXPECT_EQ(kept(), 2U);
}

TEST_F(FollowedShardTest, the_tail_that_comes_first_waits_for_the_commit) {
  shard_.hold();
  EXPECT_FALSE(shard_.follow(slice(records_, 0, 2)));
  EXPECT_EQ(shard_.end(), begin_.offset);
  EXPECT_TRUE(shard_.release(slice(records_, 0, 2)));
  expect_end(slice(records_, 0, 2));
  EXPECT_EQ(kept(), 2U);
}

TEST_F(FollowedShardTest, part_of_the_commit_may_come_first) {
  shard_.hold();
  shard_.follow(slice(records_, 0, 1));
  EXPECT_TRUE(shard_.release(slice(records_, 0, 3)));
  EXPECT_FALSE(shard_.follow(slice(records_, 1, 3)));
  EXPECT_TRUE(shard_.follow(slice(records_, 3, 6)));
  expect_end(records_);
}

TEST_F(FollowedShardTest, others_may_follow_the_commit_before_it_is_told) {
  shard_.hold();
  shard_.follow(slice(records_, 0, 2));
  shard_.follow(slice(records_, 2, 5));
  EXPECT_TRUE(shard_.release(slice(records_, 0, 2)));
  expect_end(slice(records_, 0, 5));
  EXPECT_EQ(kept(), 5U);
}

TEST_F(FollowedShardTest, a_commit_that_came_to_nothing_changes_nothing) {
  shard_.hold();
  EXPECT_FALSE(shard_.release({}));
  EXPECT_EQ(shard_.end(), begin_.offset);
  EXPECT_TRUE(shard_.follow(slice(records_, 0, 1))) << "not held any more";
}

TEST_F(FollowedShardTest, what_came_while_a_commit_was_refused_is_not_lost) {
  shard_.hold();
  shard_.follow(slice(records_, 0, 3));  // the owner's that shut this process out
  EXPECT_TRUE(shard_.release({}));
  expect_end(slice(records_, 0, 3));
}

TEST_F(FollowedShardTest, another_writers_records_in_place_of_the_commit_are_damage) {
  const auto other = chained_records(kShard, begin_, 3, "other");
  shard_.hold();
  shard_.follow(other);
  EXPECT_THROW(shard_.release(slice(records_, 0, 2)), LogCorrupted);
  EXPECT_EQ(shard_.end(), Offset{12}) << "what was committed is known all the same";
  EXPECT_NO_THROW(shard_.follow(slice(records_, 2, 3)));
}

TEST_F(FollowedShardTest, holds_follow_each_other) {
  for (std::size_t i = 0; i < 6; ++i) {
    shard_.hold();
    if (i % 2 == 0) shard_.follow(slice(records_, 0, i + 1));
    EXPECT_TRUE(shard_.release(slice(records_, i, i + 1)));
    if (i % 2 != 0) EXPECT_FALSE(shard_.follow(slice(records_, i, i + 1)));
  }
  expect_end(records_);
  EXPECT_EQ(kept(), 6U);
}

TEST_F(FollowedShardTest, waiting_ends_at_the_deadline) {
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(shard_.wait_until(Offset{10}, now)) << "it is there already";
  EXPECT_TRUE(shard_.wait_until(Offset{3}, now - 1h));
  EXPECT_FALSE(shard_.wait_until(Offset{11}, now - 1h));
  EXPECT_FALSE(shard_.wait_until(Offset{11}, std::chrono::steady_clock::now() + 20ms));
  EXPECT_GE(std::chrono::steady_clock::now(), now + 20ms);
}

TEST_F(FollowedShardTest, waiters_are_woken_by_the_tail_and_by_a_commit) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  const auto wait = [&](std::uint64_t offset) {
    return std::async(std::launch::async,
                      [&, offset] { return shard_.wait_until(Offset{offset}, deadline); });
  };
  auto by_tail = wait(12);
  auto by_commit = wait(14);
  auto by_what_waited = wait(16);
  shard_.follow(slice(records_, 0, 2));
  EXPECT_TRUE(by_tail.get());
  shard_.hold();
  shard_.follow(slice(records_, 2, 6));
  EXPECT_TRUE(shard_.release(slice(records_, 2, 4)));
  EXPECT_TRUE(by_commit.get());
  EXPECT_TRUE(by_what_waited.get());
}

TEST_F(FollowedShardTest, a_tail_beside_commits_sees_the_same) {
  const auto records = chained_records(kShard, begin_, 2'000);
  std::thread tail([&] {
    for (std::size_t at = 0; at < records.size(); ++at) {
      // No tail is ahead of what is committed or being committed.
      if (!shard_.wait_until(records[at].position.offset, std::chrono::steady_clock::now() + 30s))
        return;
      shard_.follow(slice(records, at, at + 1));
    }
  });
  for (std::size_t at = 0; at < records.size(); at += 4) {
    shard_.hold();
    EXPECT_TRUE(shard_.release(slice(records, at, at + 4)));
  }
  tail.join();
  expect_end(records);
}

}  // namespace
}  // namespace annolog::eventstore::kafka::followed_shard_test
