// Work on all shards from several threads.
#include "eventstore/for_each_shard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>

namespace annolog::eventstore::for_each_shard_test {
namespace {

TEST(ForEachShard, comes_to_each_shard_once) {
  std::array<std::atomic<int>, 100> calls{};
  for_each_shard(100, [&](ShardId shard) { ++calls.at(shard.value); });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(ForEachShard, has_nothing_to_do_without_shards) {
  for_each_shard(0, [](ShardId) { FAIL(); });
}

TEST(ForEachShard, tells_the_first_failure_and_begins_no_more) {
  std::atomic<int> calls{0};
  const auto work = [&](ShardId) {
    ++calls;
    throw std::runtime_error("no");
  };
  EXPECT_THROW(for_each_shard(60'000, work), std::runtime_error);
  EXPECT_LT(calls, 60'000);
}

}  // namespace
}  // namespace annolog::eventstore::for_each_shard_test
