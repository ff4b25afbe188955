// What a text becomes when it is looked for.
#include "projections/queries/name_pattern.hpp"

#include <gtest/gtest.h>

#include "projections/work/days.hpp"

namespace annolog::projections::name_pattern_test {
namespace {

TEST(NamePattern, means_what_the_text_says) {
  EXPECT_EQ(containing("car"), "%car%");
  EXPECT_EQ(containing("100%_\\"), "%100\\%\\_\\\\%");
  EXPECT_EQ(starting_with("a_"), "a\\_%");
}

TEST(NamePattern, knows_what_has_trigrams_anywhere) {
  for (const char* text : {"car", "a1b", "x-car", "a b", "-1", "Моск", "straß", "a.b", "東京塔"})
    EXPECT_TRUE(has_trigrams(text)) << text;
  for (const char* text : {"", "ab", "ab.", "--", "..%", "東京", "é", "a-"})
    EXPECT_FALSE(has_trigrams(text)) << text;
}

TEST(NamePattern, knows_what_has_trigrams_at_the_start_of_a_name) {
  for (const char* text : {"ab", "a", "1.", "東", "ab."}) {
    EXPECT_TRUE(has_trigrams_at_start(text)) << text;
  }
  for (const char* text : {"", "--", "%_"}) EXPECT_FALSE(has_trigrams_at_start(text)) << text;
}

TEST(Days, begin_at_midnight_of_utc) {
  EXPECT_EQ(day_of({0}), Day{0});
  EXPECT_EQ(day_of({kDayMs - 1}), Day{0});
  EXPECT_EQ(day_of({kDayMs}), Day{1});
  EXPECT_EQ(day_of({-1}), Day{-1});
  EXPECT_EQ(day_of({-kDayMs}), Day{-1});
  EXPECT_EQ(day_of({-kDayMs - 1}), Day{-2});
}

}  // namespace
}  // namespace annolog::projections::name_pattern_test
