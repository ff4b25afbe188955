#include "api/realtime/interest.hpp"

#include <gtest/gtest.h>

namespace annolog::api::realtime::interest_test {
namespace {

const commands::ShardId kHome{1};
const commands::ShardId kOther{2};
const Channel kLock{Channel::Kind::task_lock, 1};
const Channel kEdits{Channel::Kind::annotation, 1};
const Channel kNotify{Channel::Kind::notify, 7};

TEST(Interest, tells_where_somebody_listens) {
  Interest interest(4);
  EXPECT_FALSE(interest.look(kHome).anybody);
  interest.listen(kLock, kHome);
  EXPECT_TRUE(interest.look(kHome).anybody);
  EXPECT_FALSE(interest.look(kHome).annotations);
  EXPECT_FALSE(interest.look(kOther).anybody);
  EXPECT_TRUE(interest.wants(kLock));
  interest.listen(kEdits, kHome);
  EXPECT_TRUE(interest.look(kHome).annotations);
  interest.leave(kEdits, kHome);
  interest.leave(kLock, kHome);
  EXPECT_FALSE(interest.look(kHome).anybody);
  EXPECT_FALSE(interest.wants(kLock));
}

TEST(Interest, in_notifications_is_interest_in_all_shards) {
  Interest interest(4);
  interest.listen(kNotify, kHome);
  EXPECT_TRUE(interest.look(kOther).anybody);
  interest.leave(kNotify, kHome);
  EXPECT_FALSE(interest.look(kOther).anybody);
}

TEST(Interest, a_listener_hears_what_lies_behind_the_place_of_the_feed) {
  Interest interest(4);
  ASSERT_TRUE(interest.pass(kHome, commands::Offset{5}, interest.look(kHome)));
  EXPECT_EQ(interest.listen(kLock, kHome).token(), "p1.1-5");
  ASSERT_TRUE(interest.pass(kOther, commands::Offset{9}, interest.look(kOther)));
  EXPECT_EQ(interest.listen(kNotify, kHome).token(), "p1.1-5.2-9");
}

// Its frames were made before the listener came, and without what it wants.
TEST(Interest, the_feed_does_not_pass_a_listener_that_came_meanwhile) {
  Interest interest(4);
  const auto look = interest.look(kHome);
  interest.listen(kLock, kHome);
  EXPECT_FALSE(interest.pass(kHome, commands::Offset{5}, look));
  EXPECT_EQ(interest.look(kHome).passed, commands::Offset{});
  EXPECT_TRUE(interest.pass(kHome, commands::Offset{5}, interest.look(kHome)));
  const auto other = interest.look(kOther);
  interest.listen(kNotify, kHome);
  EXPECT_FALSE(interest.pass(kOther, commands::Offset{5}, other));
}

TEST(Interest, of_two_listeners_one_remains) {
  Interest interest(4);
  interest.listen(kLock, kHome);
  interest.listen(kLock, kHome);
  interest.leave(kLock, kHome);
  EXPECT_TRUE(interest.wants(kLock));
  EXPECT_TRUE(interest.look(kHome).anybody);
}

TEST(Interest, the_place_of_the_feed_never_goes_back) {
  Interest interest(4);
  interest.pass(kHome, commands::Offset{5}, interest.look(kHome));
  interest.pass(kHome, commands::Offset{3}, interest.look(kHome));
  EXPECT_EQ(interest.look(kHome).passed, commands::Offset{5});
}

}  // namespace
}  // namespace annolog::api::realtime::interest_test
