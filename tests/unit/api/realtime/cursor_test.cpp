#include "api/realtime/cursor.hpp"

#include <gtest/gtest.h>

namespace annolog::api::realtime::cursor_test {
namespace {

commands::Position at(std::uint16_t shard, std::uint64_t offset) {
  return {commands::ShardId{shard}, commands::Offset{offset}};
}

TEST(Cursor, covers_what_lies_up_to_it_in_the_shards_that_it_names) {
  const Cursor cursor({at(3, 10), at(1, 5)});
  EXPECT_TRUE(cursor.covers(at(3, 10)));
  EXPECT_FALSE(cursor.covers(at(3, 11)));
  EXPECT_TRUE(cursor.covers(at(1, 5)));
  EXPECT_FALSE(cursor.covers(at(2, 1)));
  EXPECT_EQ(cursor.at(commands::ShardId{2}), commands::Offset{});
}

TEST(Cursor, never_goes_back) {
  Cursor cursor({at(1, 5), at(1, 3)});
  EXPECT_EQ(cursor.token(), "p1.1-5");
  cursor.advance(at(1, 4));
  cursor.advance(Cursor({at(0, 2), at(1, 9)}));
  EXPECT_EQ(cursor.token(), "p1.0-2.1-9");
}

TEST(Cursor, comes_back_from_its_token) {
  const Cursor cursor({at(2, 7), at(0, 1)});
  const auto positions = parse_position_token(cursor.token(), 4);
  ASSERT_TRUE(positions);
  EXPECT_EQ(Cursor(*positions).positions(), cursor.positions());
}

TEST(Cursor, a_token_names_places_that_an_event_can_have) {
  EXPECT_TRUE(parse_position_token("p1.1-2251799813685247", 4));
  EXPECT_FALSE(parse_position_token("p1.1-2251799813685248", 4));
  EXPECT_FALSE(parse_position_token("p1.4-1", 4));
}

}  // namespace
}  // namespace annolog::api::realtime::cursor_test
