#include "projections/engine/fresh_events.hpp"

#include <gtest/gtest.h>

namespace annolog::projections::fresh_events_test {
namespace {

constexpr std::size_t kBytesMax = 100;

eventstore::Position at(std::uint16_t shard, std::uint64_t offset) {
  return {eventstore::ShardId{shard}, eventstore::Offset{offset}};
}

Event event(std::int64_t user) { return UserSignedIn{UserId{user}}; }

class FreshEventsTest : public ::testing::Test {
 protected:
  FreshEvents fresh_{4, kBytesMax};
};

TEST_F(FreshEventsTest, gives_an_event_once_at_its_position) {
  fresh_.put(at(1, 7), 10, event(70));
  EXPECT_EQ(fresh_.take(at(2, 7)), std::nullopt);
  EXPECT_EQ(fresh_.take(at(1, 7)), event(70));
  EXPECT_EQ(fresh_.take(at(1, 7)), std::nullopt);
}

TEST_F(FreshEventsTest, drops_what_lies_before_the_position_asked_for_in_its_shard_only) {
  fresh_.put(at(1, 7), 10, event(70));
  fresh_.put(at(1, 8), 10, event(80));
  fresh_.put(at(2, 3), 10, event(30));
  EXPECT_EQ(fresh_.take(at(1, 8)), event(80));
  EXPECT_EQ(fresh_.take(at(1, 7)), std::nullopt);
  EXPECT_EQ(fresh_.take(at(2, 3)), event(30));
}

TEST_F(FreshEventsTest, keeps_what_comes_after_the_position_asked_for) {
  fresh_.put(at(1, 8), 10, event(80));
  EXPECT_EQ(fresh_.take(at(1, 7)), std::nullopt);
  EXPECT_EQ(fresh_.take(at(1, 8)), event(80));
}

TEST_F(FreshEventsTest, does_not_keep_what_the_projector_has_passed) {
  EXPECT_EQ(fresh_.take(at(1, 7)), std::nullopt);
  fresh_.put(at(1, 7), kBytesMax, event(70));
  fresh_.put(at(1, 8), kBytesMax, event(80));
  EXPECT_EQ(fresh_.take(at(1, 8)), event(80)) << "the late one took no room";
}

TEST_F(FreshEventsTest, keeps_no_more_than_its_bytes_and_has_room_again_once_they_are_taken) {
  fresh_.put(at(0, 1), 60, event(1));
  fresh_.put(at(0, 2), 41, event(2));
  fresh_.put(at(0, 3), 40, event(3));
  EXPECT_EQ(fresh_.take(at(0, 1)), event(1));
  EXPECT_EQ(fresh_.take(at(0, 2)), std::nullopt) << "did not fit";
  EXPECT_EQ(fresh_.take(at(0, 3)), event(3));
  fresh_.put(at(0, 4), kBytesMax, event(4));
  EXPECT_EQ(fresh_.take(at(0, 4)), event(4));
}

}  // namespace
}  // namespace annolog::projections::fresh_events_test
