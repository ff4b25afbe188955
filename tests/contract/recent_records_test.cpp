// The newest records, kept in memory: what is given must be what a log would give.
#include "eventstore/kafka/recent_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace annolog::eventstore::kafka::recent_records_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ShardId kFirst{0};
constexpr ShardId kSecond{1};
constexpr std::size_t kPlenty = 1U << 20U;

Record record_at(ShardId shard, std::uint64_t offset, std::size_t size = 1) {
  Record record;
  record.position = {shard, Offset{offset}};
  record.data = std::string(size, 'x');
  return record;
}

std::vector<Record> records_of(ShardId shard, std::uint64_t first, std::uint64_t last,
                               std::size_t size = 1) {
  std::vector<Record> records;
  for (std::uint64_t at = first; at <= last; ++at) records.push_back(record_at(shard, at, size));
  return records;
}

// Their offsets; one 0: not here.
std::vector<std::uint64_t> offsets(const RecentRecords& recent, ShardId shard, std::uint64_t after,
                                   const ReadLimits& limits = {}) {
  const auto found = recent.read(shard, Offset{after}, limits);
  if (!found) return {0};
  std::vector<std::uint64_t> all;
  for (const Record& record : *found) {
    EXPECT_EQ(record.position.shard, shard);
    all.push_back(record.position.offset.value);
  }
  return all;
}

TEST(RecentRecords, nothing_is_known_before_the_first) {
  const RecentRecords recent(2, kPlenty);
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kSecond, 7), ElementsAre(0));
}

TEST(RecentRecords, gives_what_comes_after_in_order) {
  RecentRecords recent(2, kPlenty);
  recent.put(records_of(kFirst, 5, 6));
  recent.put(records_of(kFirst, 7, 8));
  recent.put(records_of(kSecond, 1, 1));
  EXPECT_THAT(offsets(recent, kFirst, 4), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(offsets(recent, kFirst, 6), ElementsAre(7, 8));
  EXPECT_THAT(offsets(recent, kFirst, 7), ElementsAre(8));
  EXPECT_THAT(offsets(recent, kSecond, 0), ElementsAre(1));
  EXPECT_EQ(recent.read(kFirst, Offset{6}, {})->front(), record_at(kFirst, 7));
}

TEST(RecentRecords, says_when_the_first_that_is_asked_for_is_not_here) {
  RecentRecords recent(1, kPlenty);
  recent.put(records_of(kFirst, 5, 8));
  EXPECT_THAT(offsets(recent, kFirst, 3), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 8), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 900), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, std::numeric_limits<std::uint64_t>::max() - 1),
              ElementsAre(0));
}

TEST(RecentRecords, keeps_the_limits_and_always_gives_the_first) {
  RecentRecords recent(1, kPlenty);
  recent.put(records_of(kFirst, 1, 4, 10));
  EXPECT_THAT(offsets(recent, kFirst, 0, {.max_records = 2}), ElementsAre(1, 2));
  EXPECT_THAT(offsets(recent, kFirst, 1, {.max_records = 1}), ElementsAre(2));
  EXPECT_THAT(offsets(recent, kFirst, 0, {.max_bytes = 20}), ElementsAre(1, 2));
  EXPECT_THAT(offsets(recent, kFirst, 0, {.max_bytes = 29}), ElementsAre(1, 2));
  EXPECT_THAT(offsets(recent, kFirst, 0, {.max_bytes = 30}), ElementsAre(1, 2, 3));
  EXPECT_THAT(offsets(recent, kFirst, 2, {.max_bytes = 0}), ElementsAre(3));
  EXPECT_THAT(offsets(recent, kFirst, 0, {.max_records = 0}), IsEmpty());
}

TEST(RecentRecords, a_gap_replaces_all_of_its_shard_and_of_no_other) {
  RecentRecords recent(2, kPlenty);
  recent.put(records_of(kFirst, 1, 3));
  recent.put(records_of(kSecond, 1, 3));
  recent.put(records_of(kFirst, 9, 10));
  EXPECT_THAT(offsets(recent, kFirst, 2), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 8), ElementsAre(9, 10));
  EXPECT_THAT(offsets(recent, kSecond, 0), ElementsAre(1, 2, 3));
  recent.put(records_of(kFirst, 10, 11));  // backwards is no following either
  EXPECT_THAT(offsets(recent, kFirst, 8), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 9), ElementsAre(10, 11));
}

TEST(RecentRecords, a_gap_within_one_call_counts_too) {
  RecentRecords recent(1, kPlenty);
  auto records = records_of(kFirst, 1, 2);
  records.push_back(record_at(kFirst, 5));
  recent.put(records);
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 4), ElementsAre(5));
}

TEST(RecentRecords, the_oldest_of_all_shards_go_when_bytes_run_out) {
  RecentRecords recent(2, 10'000);
  recent.put(records_of(kFirst, 1, 1, 3'000));
  recent.put(records_of(kSecond, 1, 1, 3'000));
  recent.put(records_of(kFirst, 2, 2, 3'000));
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(0)) << "the oldest of all";
  EXPECT_THAT(offsets(recent, kFirst, 1), ElementsAre(2));
  EXPECT_THAT(offsets(recent, kSecond, 0), ElementsAre(1));
  recent.put(records_of(kFirst, 3, 3, 3'000));
  EXPECT_THAT(offsets(recent, kSecond, 0), ElementsAre(0)) << "a quiet shard keeps nothing";
  EXPECT_THAT(offsets(recent, kFirst, 1), ElementsAre(2, 3));
  recent.put(records_of(kSecond, 2, 2, 10));
  EXPECT_THAT(offsets(recent, kSecond, 1), ElementsAre(2));
}

TEST(RecentRecords, room_that_a_gap_made_is_room_again) {
  RecentRecords recent(1, 20'000);
  for (std::uint64_t round = 1; round < 200; ++round) {
    recent.put(records_of(kFirst, round * 100, round * 100 + 2, 3'000));
    EXPECT_THAT(offsets(recent, kFirst, round * 100 - 1),
                ElementsAre(round * 100, round * 100 + 1, round * 100 + 2));
  }
}

TEST(RecentRecords, one_that_is_larger_than_all_room_is_kept_alone) {
  RecentRecords recent(2, 1'000);
  recent.put(records_of(kSecond, 1, 3));
  recent.put(records_of(kFirst, 1, 1, 5'000));
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(1));
  EXPECT_THAT(offsets(recent, kSecond, 2), ElementsAre(0));
  recent.put(records_of(kFirst, 2, 2, 1));
  EXPECT_THAT(offsets(recent, kFirst, 0), ElementsAre(0));
  EXPECT_THAT(offsets(recent, kFirst, 1), ElementsAre(2));
}

TEST(RecentRecords, readers_see_whole_runs_while_records_come) {
  RecentRecords recent(1, 50'000);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t at = 1; at <= 20'000; ++at) recent.put({record_at(kFirst, at, at % 50)});
    done = true;
  });
  std::uint64_t after = 0;
  while (!done) {
    const auto found = recent.read(kFirst, Offset{after}, {.max_records = 10});
    if (!found) {
      ++after;
      continue;
    }
    for (const Record& record : *found) {
      ASSERT_EQ(record.position.offset.value, ++after);
      ASSERT_EQ(record.data.size(), after % 50);
    }
    if (after >= 20'000) after = 0;
  }
  writer.join();
}

}  // namespace
}  // namespace annolog::eventstore::kafka::recent_records_test
