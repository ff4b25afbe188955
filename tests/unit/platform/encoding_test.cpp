#include "platform/encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/random.hpp"

namespace annolog::platform::encoding_test {
namespace {

// RFC 4648, section 10.
TEST(Base64, gives_the_published_values) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(to_base64url(bytes), text.substr(0, text.find('=')));
    EXPECT_EQ(from_base64url(text.substr(0, text.find('='))), bytes);
  }
  EXPECT_EQ(to_base64url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(to_base64("\xfb\xff\xfe"), "+//+");
}

TEST(Base64url, takes_only_the_one_spelling) {
  for (const std::string_view bad :
       {"Zg==", "Z", "Zh", "Zm9", "Zg\n", " Zg", "+//+", "Zm9v.", "Z\xc3\xa4"}) {
    EXPECT_EQ(from_base64url(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(from_base64url(std::string_view("Zm9v\0Zm9", 8)), std::nullopt);
}

TEST(Encodings, return_any_bytes) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string bytes = random_bytes(size);
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
    EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
  }
}

TEST(Hex, refuses_odd_lengths_and_other_characters) {
  EXPECT_EQ(from_hex("00FFab"), std::string("\x00\xff\xab", 3));
  for (const std::string_view bad : {"0", "0g", "0x00", " 00", "00 "}) {
    EXPECT_EQ(from_hex(bad), std::nullopt) << bad;
  }
}

TEST(Random, gives_what_was_asked_for) {
  EXPECT_NE(random_bytes(32), random_bytes(32));
  EXPECT_NE(random_key(), random_key());
  EXPECT_THROW(random_below(0), std::invalid_argument);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_below(4));
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3}));
  const std::string text = random_base62(43);
  EXPECT_EQ(text.size(), 43U);
  EXPECT_TRUE(std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0; }));
}

}  // namespace
}  // namespace annolog::platform::encoding_test
