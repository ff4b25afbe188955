#include "domain/support/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace annolog::number_test {
namespace {

TEST(NumberInText, TheWholeTextIsOne) {
  EXPECT_EQ(number_from<std::int64_t>("12"), 12);
  EXPECT_EQ(number_from<std::int64_t>("-12"), -12);
  EXPECT_EQ(number_from<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(number_from<double>("1e3"), 1000.0);
  EXPECT_TRUE(std::isinf(number_from<double>("inf").value()));
}

TEST(NumberInText, AnythingElseIsNone) {
  for (const char* text : {"", " ", "+1", " 1", "1 ", "1.0", "0x1", "one", "9223372036854775808"}) {
    EXPECT_EQ(number_from<std::int64_t>(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(number_from<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(number_from<std::uint16_t>("65536"), std::nullopt);
}

TEST(NumberInText, ItIsTakenFromTheFront) {
  std::string_view text = "7-1300";
  EXPECT_EQ(take_number<std::uint16_t>(text), 7);
  EXPECT_EQ(text, "-1300");
  EXPECT_EQ(take_number<std::uint64_t>(text, '-'), 1300);
  EXPECT_EQ(text, "");
}

TEST(NumberInText, WhereThereIsNoneNothingIsTaken) {
  for (const std::string_view given : {"", "a1", "65536"}) {
    std::string_view text = given;
    EXPECT_EQ(take_number<std::uint16_t>(text), std::nullopt) << given;
    EXPECT_EQ(text, given);
  }
  std::string_view unmarked = "7";
  EXPECT_EQ(take_number<std::uint16_t>(unmarked, '.'), std::nullopt);
  EXPECT_EQ(unmarked, "7");
}

TEST(NumberInText, NothingHasANumberBelowOne) {
  EXPECT_EQ(id_number("12"), 12);
  for (const char* text : {"", "0", "-12", "twelve", "12 "}) EXPECT_EQ(id_number(text), 0) << text;
}

}  // namespace
}  // namespace annolog::number_test
