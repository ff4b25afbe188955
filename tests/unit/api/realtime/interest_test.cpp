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
  EXPECT_FALSE(interest.look(kHome).wanted.any());
  interest.listen(kLock, kHome);
  EXPECT_TRUE(interest.look(kHome).wanted.any());
  EXPECT_FALSE(interest.look(kHome).wanted.has(kEdits.kind));
  EXPECT_FALSE(interest.look(kOther).wanted.any());
  EXPECT_TRUE(interest.wants(kLock));
  interest.listen(kEdits, kHome);
  EXPECT_TRUE(interest.look(kHome).wanted.has(kEdits.kind));
  interest.leave(kEdits, kHome);
  interest.leave(kLock, kHome);
  EXPECT_FALSE(interest.look(kHome).wanted.any());
  EXPECT_FALSE(interest.wants(kLock));
}

TEST(Interest, in_notifications_is_interest_in_all_shards) {
  Interest interest(4);
  interest.listen(kNotify, kHome);
  EXPECT_TRUE(interest.look(kOther).wanted.any());
  interest.leave(kNotify, kHome);
  EXPECT_FALSE(interest.look(kOther).wanted.any());
}

TEST(Interest, a_listener_hears_what_lies_behind_the_place_of_the_feed) {
  Interest interest(4);
  interest.pass(kHome, commands::Offset{5});
  EXPECT_EQ(interest.listen(kLock, kHome).token(), "p1.1-5");
  ASSERT_TRUE(interest.pass_over(kOther, commands::Offset{9}));
  EXPECT_EQ(interest.listen(kNotify, kHome).token(), "p1.1-5.2-9");
}

// Its frames are being made, without what it wants.
TEST(Interest, a_listener_that_comes_meanwhile_hears_what_lies_behind_the_claim) {
  Interest interest(4);
  interest.pass(kHome, commands::Offset{3});
  interest.listen(kLock, kHome);
  const auto look = interest.claim(kHome, commands::Offset{5});
  EXPECT_EQ(look.passed, commands::Offset{3});
  EXPECT_FALSE(look.wanted.has(kEdits.kind));
  EXPECT_EQ(interest.listen(kEdits, kHome).token(), "p1.1-5");
  EXPECT_EQ(interest.claimed(kEdits, kHome).token(), "p1.1-5") << "a replay reads up to there";
  EXPECT_EQ(interest.listen(kNotify, kHome).token(), "p1.1-5");
  EXPECT_EQ(interest.passed_everywhere().token(), "p1.1-3") << "of it, nobody has anything yet";
  EXPECT_TRUE(interest.claim(kHome, commands::Offset{6}).wanted.has(kEdits.kind))
      << "it failed: once more";
  interest.pass(kHome, commands::Offset{6});
  EXPECT_EQ(interest.passed_everywhere().token(), "p1.1-6");
}

// Who began just before the claim listens from before it.
TEST(Interest, a_claim_tells_who_listens_by_then) {
  Interest interest(4);
  ASSERT_FALSE(interest.look(kHome).wanted.has(kEdits.kind));
  EXPECT_EQ(interest.listen(kEdits, kHome).token(), "p1.1-0");
  EXPECT_TRUE(interest.claim(kHome, commands::Offset{5}).wanted.has(kEdits.kind));
}

TEST(Interest, what_concerns_somebody_is_not_passed_over) {
  Interest interest(4);
  interest.listen(kLock, kHome);
  EXPECT_FALSE(interest.pass_over(kHome, commands::Offset{5}));
  EXPECT_EQ(interest.look(kHome).passed, commands::Offset{});
  interest.leave(kLock, kHome);
  EXPECT_TRUE(interest.pass_over(kHome, commands::Offset{5}));
  interest.listen(kNotify, kHome);
  EXPECT_FALSE(interest.pass_over(kOther, commands::Offset{5}));
}

TEST(Interest, of_two_listeners_one_remains) {
  Interest interest(4);
  interest.listen(kLock, kHome);
  interest.listen(kLock, kHome);
  interest.leave(kLock, kHome);
  EXPECT_TRUE(interest.wants(kLock));
  EXPECT_TRUE(interest.look(kHome).wanted.any());
}

TEST(Interest, the_place_of_the_feed_never_goes_back) {
  Interest interest(4);
  interest.pass(kHome, commands::Offset{5});
  interest.pass(kHome, commands::Offset{3});
  EXPECT_EQ(interest.look(kHome).passed, commands::Offset{5});
}

}  // namespace
}  // namespace annolog::api::realtime::interest_test
