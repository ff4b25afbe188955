#include "platform/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "platform/encoding.hpp"

namespace annolog::platform::digest_test {
namespace {

struct DigestCase {
  std::string text;
  std::string sha256_hex;
  std::string blake2b_hex;
  std::string md5_hex;
};

// FIPS 180-4 examples, BLAKE2b-256 as its reference gives it, and RFC 1321, appendix A.5.
const DigestCase kDigestCases[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
     "d41d8cd98f00b204e9800998ecf8427e"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
     "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
     "900150983cd24fb0d6963f7d28e17f72"},
};

TEST(Digest, gives_the_published_values) {
  for (const auto& c : kDigestCases) {
    EXPECT_EQ(to_hex(as_bytes_view(sha256(c.text))), c.sha256_hex) << c.text;
    EXPECT_EQ(to_hex(as_bytes_view(blake2b(c.text))), c.blake2b_hex) << c.text;
    EXPECT_EQ(to_hex(as_bytes_view(md5(c.text))), c.md5_hex) << c.text;
  }
}

TEST(Digest, pieces_give_what_the_whole_gives_and_the_object_can_be_used_again) {
  Sha256 sha;
  Md5 md;
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view piece : {"a", "", "bc"}) {
      sha.update(piece);
      md.update(piece);
    }
    EXPECT_EQ(sha.finish(), sha256("abc"));
    EXPECT_EQ(md.finish(), md5("abc"));
  }
}

// RFC 4231, test case 2; HMAC fills a short key with zeros, so a padded key is the same key.
TEST(Hmac, gives_the_published_value) {
  MacKey key{};
  std::ranges::copy(std::string_view("Jefe"), key.begin());
  EXPECT_EQ(to_hex(as_bytes_view(hmac_sha256(key, "what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(ConstantTimeEqual, compares_content_and_length) {
  EXPECT_TRUE(constant_time_equal("", ""));
  EXPECT_TRUE(constant_time_equal("same", "same"));
  EXPECT_FALSE(constant_time_equal("same", "sama"));
  EXPECT_FALSE(constant_time_equal("same", "same "));
}

}  // namespace
}  // namespace annolog::platform::digest_test
