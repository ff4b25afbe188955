// The end that a process has heard of, when the log is elsewhere and grows.
#include "eventstore/readable_end.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "eventstore/errors.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "tests/contract/log_adapters.hpp"
#include "tests/contract/passing_log.hpp"

namespace annolog::eventstore::readable_end_test {
namespace {

using namespace std::chrono_literals;

// What was committed is heard of up to a position only.
class HardOfHearing final : public PassingLog {
 public:
  using PassingLog::PassingLog;

  std::atomic<std::uint64_t> heard{0};
  mutable std::atomic<int> asked{0};

  Offset end(ShardId shard) const override {
    ++asked;
    return std::min(Offset{heard.load()}, inner_.end(shard));
  }
};

std::unique_ptr<EventLog> log_of_three() {
  auto log = open_memory_log(kShards);
  append(*log, kShard, {"a", "b", "c"});
  return log;
}

TEST_P(EventLogContract, the_readable_end_is_the_last_record_and_can_be_read) {
  EXPECT_EQ(readable_end(*log_, kShard, 10s), Offset{});
  append(*log_, kShard, {"a", "b"});
  const Offset end = readable_end(*log_, kShard, 10s);
  EXPECT_EQ(end, Offset{2});
  EXPECT_EQ(log_->read(kShard, Offset{end.value - 1}, {}).size(), 1U);
}

TEST(ReadableEnd, is_waited_for) {
  const auto log = log_of_three();
  HardOfHearing deaf(*log);
  auto end = std::async(std::launch::async, [&] { return readable_end(deaf, kShard, 10s); });
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (deaf.asked < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  deaf.heard = 3;
  EXPECT_EQ(end.get(), Offset{3});
}

TEST(ReadableEnd, is_not_waited_for_without_end) {
  const auto log = log_of_three();
  HardOfHearing deaf(*log);
  deaf.heard = 2;
  EXPECT_THROW(readable_end(deaf, kShard, 5ms), LogUnavailable);
}

}  // namespace
}  // namespace annolog::eventstore::readable_end_test
