// Attribute values as a format without types tells them.
#include "domain/task/plain_values.hpp"

#include <gtest/gtest.h>

namespace annolog::plain_values_test {
namespace {

using List = std::vector<std::string>;

TEST(PlainValues, words_numbers_and_lists_are_told_as_datumaro_does) {
  const struct {
    AttributeValue value;
    const char* text;
  } rows[] = {
      {nullptr, ""},
      {true, "True"},
      {false, "False"},
      {5.0, "5"},
      {-0.1, "-0.1"},
      {std::string("[\"a\",\"b\"]"), "[\"a\",\"b\"]"},
      {List{}, "[]"},
      {List{"a", "q\"\\"}, R"(["a", "q\"\\"])"},
      {List{"\n\t\x7F\u00e4"}, "[\"\\n\\u0009\\u007f\u00e4\"]"},
  };
  for (const auto& row : rows) EXPECT_EQ(plain_text(row.value), row.text);
}

TEST(PlainValues, what_xml_cannot_hold_becomes_one_character) {
  EXPECT_EQ(through_xml("a\tb\nc\rd<\u00e4\U0001F600"), "a\tb\nc\rd<\u00e4\U0001F600");
  EXPECT_EQ(through_xml("\x01|\uFFFE|\uFFFF"), "\uFFFD|\uFFFD|\uFFFD");
  EXPECT_EQ(through_xml(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(through_xml(""), "");
}

TEST(PlainValues, texts_mean_flags_and_numbers) {
  for (const char* yes : {"True", "true", "1"}) EXPECT_EQ(plain_flag(yes), true);
  for (const char* no : {"False", "false", "0"}) EXPECT_EQ(plain_flag(no), false);
  EXPECT_EQ(plain_flag("yes"), std::nullopt);
  EXPECT_EQ(plain_number("5.0"), 5.0);
  EXPECT_EQ(plain_number("-1e3"), -1000.0);
  for (const char* none : {"", " 5", "5 ", "nan", "inf", "1e999", "0x5"}) {
    EXPECT_EQ(plain_number(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace annolog::plain_values_test
