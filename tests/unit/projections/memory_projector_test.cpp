// Read models in memory: the chosen events, in the order of each shard, and how far that has come.
#include "projections/engine/memory_projector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "domain/codec/events.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "platform/clock.hpp"

namespace annolog::projections::memory_projector_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;
using ::testing::ElementsAre;

constexpr std::uint16_t kShards = 2;

class MemoryProjectorTest : public ::testing::Test {
 protected:
  void append(std::uint16_t shard, const std::string& type, const std::string& data) {
    const std::array shards{ShardId{shard}};
    const auto transaction = log_->begin(shards);
    eventstore::NewRecord record;
    record.headers.id = "e";
    record.headers.type = type;
    record.data = data;
    transaction->append(ShardId{shard}, std::move(record));
    transaction->end_command(ShardId{shard});
    ASSERT_EQ(log_->commit(*transaction), eventstore::CommitOutcome::ok);
  }
  void sign_in(std::uint16_t shard, std::int64_t user) {
    const auto encoded = codec::encode_event(UserSignedIn{UserId{user}});
    append(shard, std::string(encoded.type), encoded.data);
  }
  void start(Positions from = Positions(kShards)) {
    projector_ = std::make_unique<MemoryProjector>(
        *log_, logger_, std::unordered_set<std::string>{std::string(UserSignedIn::kType)},
        [this](eventstore::Position, const Event& event) { on_event(event); },
        [this](ShardId shard, Offset at) {
          const std::lock_guard guard(mutex_);
          reached_[shard] = at;
          seen_when_reached_[shard] = users_.size();
          moved_.notify_all();
        });
    projector_->start(std::move(from));
  }
  void on_event(const Event& event) {
    const std::lock_guard guard(mutex_);
    const auto user = std::get<UserSignedIn>(event).user_id.value;
    if (std::exchange(fails_once_, false)) throw std::runtime_error("a bad day");
    users_.push_back(user);
  }
  void settle() {
    std::unique_lock guard(mutex_);
    ASSERT_TRUE(moved_.wait_for(guard, std::chrono::seconds(30), [&] {
      for (std::uint16_t i = 0; i < kShards; ++i) {
        const auto found = reached_.find(ShardId{i});
        if (found == reached_.end() || found->second < log_->end(ShardId{i})) return false;
      }
      return true;
    }));
  }

  platform::SystemClock clock_;
  std::vector<std::string> lines_;
  platform::Logger logger_{clock_, platform::LogLevel::warn,
                           [this](std::string_view line) { lines_.emplace_back(line); }};
  std::unique_ptr<eventstore::EventLog> log_ = eventstore::open_memory_log(kShards);
  std::mutex mutex_;
  std::condition_variable moved_;
  std::vector<std::int64_t> users_;
  std::map<ShardId, Offset> reached_;
  std::map<ShardId, std::size_t> seen_when_reached_;
  bool fails_once_ = false;
  std::unique_ptr<MemoryProjector> projector_;
};

TEST_F(MemoryProjectorTest, an_empty_log_is_reached_at_once) {
  start();
  settle();
  EXPECT_EQ(reached_.size(), kShards);
}

TEST_F(MemoryProjectorTest, gives_what_was_there_and_what_comes) {
  sign_in(0, 1);
  sign_in(0, 2);
  start();
  settle();
  EXPECT_THAT(users_, ElementsAre(1, 2));
  sign_in(0, 3);
  settle();
  EXPECT_THAT(users_, ElementsAre(1, 2, 3));
}

TEST_F(MemoryProjectorTest, begins_behind_what_is_known) {
  for (std::int64_t user = 1; user <= 4; ++user) sign_in(0, user);
  start({Offset{3}, Offset{}});
  settle();
  EXPECT_THAT(users_, ElementsAre(4));
}

TEST_F(MemoryProjectorTest, other_types_only_move_on) {
  append(0, "something.else", "no JSON");
  append(1, "something.else", "{}");
  sign_in(1, 5);
  start();
  settle();
  EXPECT_THAT(users_, ElementsAre(5));
  EXPECT_EQ(reached_[ShardId{0}], Offset{1});
  EXPECT_TRUE(lines_.empty());
}

TEST_F(MemoryProjectorTest, what_can_not_be_decoded_is_logged_and_passed_over) {
  append(0, std::string(UserSignedIn::kType), "{");
  sign_in(0, 6);
  start();
  settle();
  EXPECT_THAT(users_, ElementsAre(6));
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], ::testing::HasSubstr("\"offset\":1"));
}

TEST_F(MemoryProjectorTest, a_listener_that_throws_does_not_end_it) {
  fails_once_ = true;
  sign_in(0, 7);
  sign_in(0, 8);
  start();
  settle();
  EXPECT_THAT(users_, ElementsAre(8));
}

TEST_F(MemoryProjectorTest, reached_is_told_after_its_events) {
  for (std::int64_t user = 1; user <= 2'500; ++user) sign_in(0, user);  // several reads
  start();
  settle();
  const std::lock_guard guard(mutex_);
  EXPECT_EQ(seen_when_reached_[ShardId{0}], 2'500U);
  for (std::size_t i = 0; i < users_.size(); ++i)
    ASSERT_EQ(users_[i], static_cast<std::int64_t>(i) + 1);
}

TEST_F(MemoryProjectorTest, keeps_the_order_while_events_come) {
  start();
  for (std::int64_t user = 1; user <= 500; ++user) sign_in(user % 2 == 0 ? 0 : 1, user);
  settle();
  const std::lock_guard guard(mutex_);
  std::map<std::int64_t, std::int64_t> last;
  for (const std::int64_t user : users_) {
    EXPECT_GT(user, last[user % 2]);
    last[user % 2] = user;
  }
  EXPECT_EQ(users_.size(), 500U);
}

TEST_F(MemoryProjectorTest, nothing_is_told_after_its_stop) {
  start();
  settle();
  projector_->stop();
  sign_in(0, 9);
  projector_.reset();
  EXPECT_TRUE(users_.empty());
}

}  // namespace
}  // namespace annolog::projections::memory_projector_test
