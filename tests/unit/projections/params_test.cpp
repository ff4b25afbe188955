#include "projections/pg/params.hpp"

#include <gtest/gtest.h>

namespace annolog::projections::params_test {
namespace {

std::string value(const Params& params, std::size_t index) {
  const auto raw = params.raw();
  return {raw.values.at(index), static_cast<std::size_t>(raw.lengths.at(index))};
}

std::string bytes(std::initializer_list<int> list) {
  std::string text;
  for (const int byte : list) text += static_cast<char>(byte);
  return text;
}

TEST(Params, WriteScalarsAsPostgreSqlReadsThem) {
  Params params;
  params.add(std::int64_t{-2}).add(true).add(1.0).add("text").add_null();
  params.add(std::optional<std::int64_t>{});
  EXPECT_EQ(value(params, 0), bytes({255, 255, 255, 255, 255, 255, 255, 254}));
  EXPECT_EQ(value(params, 1), bytes({1}));
  EXPECT_EQ(value(params, 2), bytes({0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(value(params, 3), "text");
  EXPECT_EQ(params.raw().values[4], nullptr);
  EXPECT_EQ(params.raw().values[5], nullptr);
}

TEST(Params, WriteArraysWithAndWithoutNulls) {
  Params params;
  {
    ArrayParam array(params, PgType::text);
    array.add("ab");
    array.add_null();
  }
  EXPECT_EQ(value(params, 0), bytes({0, 0, 0, 1, 0, 0, 0, 1, 0, 0,   0,   25,  0,   0,   0,
                                     2, 0, 0, 0, 1, 0, 0, 0, 2, 'a', 'b', 255, 255, 255, 255}));
}

TEST(Params, WriteAnEmptyArrayWithoutADimension) {
  Params params;
  {
    const ArrayParam array(params, PgType::int8);
  }
  EXPECT_EQ(value(params, 0), bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20}));
}

}  // namespace
}  // namespace annolog::projections::params_test
