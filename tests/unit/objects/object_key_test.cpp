#include "platform/objects/object_key.hpp"

#include <gtest/gtest.h>

#include <string>

#include "platform/objects/percent_encoding.hpp"

namespace annolog::platform::object_key_test {
namespace {

using namespace std::string_literals;

TEST(ObjectKey, good_keys_are_taken_as_they_are) {
  const std::string good[] = {
      "a",
      "a/b/c.jpg",
      "...",
      "a/..b/c..",
      ".hidden",
      "with space/and+plus",
      "käse/日本/🐈.png",
      std::string(255, 'x'),
      std::string(255, 'x') + "/" + std::string(255, 'y'),
      "%2e%2e/a",
      "~",
      "\xC2\xA0",
  };
  for (const std::string& text : good) {
    const auto key = ObjectKey::parse(text);
    ASSERT_TRUE(key.has_value()) << text << ": " << key.error().message;
    EXPECT_EQ(key.value().text(), text);
  }
}

struct BadKey {
  std::string text;
  std::string says;
};

TEST(ObjectKey, bad_keys_are_refused_with_the_reason) {
  const BadKey bad[] = {
      {"", "empty"},
      {"/", "relative"},
      {"/etc/passwd", "relative"},
      {"..", "segment \"..\""},
      {".", "segment \".\""},
      {"../a", "segment \"..\""},
      {"a/../b", "segment \"..\""},
      {"a/..", "segment \"..\""},
      {"a/./b", "segment \".\""},
      {"a//b", "empty segment"},
      {"a/", "empty segment"},
      {"a\0b"s, "NUL"},
      {"a\nb", "control"},
      {"a\rb", "control"},
      {"\x7f", "control"},
      {"a\xC2\x85"
       "b",
       "control"},
      {"..\\..\\a", "backslash"},
      {"\xff", "UTF-8"},
      {"a\x80", "UTF-8"},
      {"\xC0\xAF", "UTF-8"},          // overlong /
      {"\xE0\x80\xAF", "UTF-8"},      // overlong /
      {"\xF0\x80\x80\xAF", "UTF-8"},  // overlong /
      {"\xC0\xAE\xC0\xAE/a", "UTF-8"},
      {"\xED\xA0\x80", "UTF-8"},      // surrogate
      {"\xF4\x90\x80\x80", "UTF-8"},  // past U+10FFFF
      {"\xF5\x80\x80\x80", "UTF-8"},
      {"\xE2\x82", "UTF-8"},  // cut short
      {std::string(256, 'x'), "255"},
      {"a/" + std::string(256, 'x') + "/b", "255"},
      {std::string(1025, 'x'), "1024"},
  };
  for (const BadKey& row : bad) {
    const auto key = ObjectKey::parse(row.text);
    ASSERT_FALSE(key.has_value()) << row.text;
    EXPECT_EQ(key.error().code, "INVALID_OBJECT_KEY");
    EXPECT_EQ(key.error().kind, DomainError::Kind::invalid);
    EXPECT_NE(key.error().message.find(row.says), std::string::npos)
        << row.text << ": " << key.error().message;
  }
}

TEST(ObjectKey, a_key_of_exactly_1024_bytes_is_taken) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += std::string(254, 'a') + "/";
  EXPECT_TRUE(ObjectKey::parse(text + "1234").has_value());
  EXPECT_FALSE(ObjectKey::parse(text + "12345").has_value());
}

TEST(ObjectKey, gives_its_segments_and_file_name) {
  const auto key = ObjectKey::parse("a/b c/d.jpg").value();
  EXPECT_EQ(key.segments(), (std::vector<std::string_view>{"a", "b c", "d.jpg"}));
  EXPECT_EQ(key.file_name(), "d.jpg");
  EXPECT_EQ(ObjectKey::parse("d").value().file_name(), "d");
}

TEST(PercentEncoding, every_byte_comes_back) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_decode(percent_encode_path(all)), all);
}

TEST(PercentEncoding, only_unreserved_characters_stay) {
  EXPECT_EQ(percent_encode("aZ09-._~/+ &=%"), "aZ09-._~%2F%2B%20%26%3D%25");
  EXPECT_EQ(percent_encode_path("a b/c?d#e"), "a%20b/c%3Fd%23e");
}

TEST(PercentEncoding, a_plus_is_a_plus_and_broken_escapes_are_refused) {
  EXPECT_EQ(percent_decode("a+b%2b"), "a+b+");
  for (const char* broken : {"%", "%2", "a%zz", "%2g", "%%41", "%+1"})
    EXPECT_FALSE(percent_decode(broken).has_value()) << broken;
}

}  // namespace
}  // namespace annolog::platform::object_key_test
