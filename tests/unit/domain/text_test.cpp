// Lengths count characters, not bytes; letters compare without case as ASCII does.
#include <gtest/gtest.h>

#include "domain/support/text.hpp"

namespace annolog::text_test {
namespace {

TEST(Text, characters_are_code_points) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("abc"), 3U);
  EXPECT_EQ(character_count("\xC3\xA4\xC3\xB6"), 2U);
  EXPECT_EQ(character_count("\xE2\x82\xAC"), 1U);
  EXPECT_EQ(character_count("\xF0\x9F\x9A\x97!"), 2U);
}

TEST(Text, lower_case_touches_ascii_letters_only) {
  EXPECT_EQ(lower_ascii("CaR-9_\xC3\x84"), "car-9_\xC3\x84");
}

TEST(Text, trimming_takes_white_space_off_both_ends) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("\v\f"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace annolog::text_test
