#include "app/client/class_list.hpp"

#include <gtest/gtest.h>

namespace annolog::client::class_list_test {
namespace {

TEST(ClassList, one_name_a_line) {
  const auto classes = parse_classes("\xEF\xBB\xBF# mine\ncar\r\n\n  bus \nCar\n");
  ASSERT_TRUE(classes);
  EXPECT_EQ(classes.value().dump(), R"([{"name":"car"},{"name":"bus"}])");
}

TEST(ClassList, a_file_in_another_encoding_is_refused) {
  const auto classes = parse_classes("k\xE4se\n");
  ASSERT_FALSE(classes);
  EXPECT_EQ(classes.error().message, "The classes file is not UTF-8.");
}

TEST(ClassList, an_entry_nested_without_end_is_refused) {
  const std::string deep(100'000, '[');
  const std::string text = R"([{"name":"car","x":)" + deep + std::string(deep.size(), ']') + "}]";
  const auto classes = parse_classes(text);
  ASSERT_FALSE(classes);
  EXPECT_EQ(classes.error().message, "Entry 0 of the classes file is nested too deep.");
}

}  // namespace
}  // namespace annolog::client::class_list_test
