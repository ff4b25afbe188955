#include "platform/ed25519.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/encoding.hpp"

namespace annolog::platform::ed25519_test {
namespace {

MacKey seed_of(std::string_view hex) {
  const auto bytes = from_hex(hex).value();
  MacKey seed{};
  std::copy(bytes.begin(), bytes.end(), seed.begin());
  return seed;
}

// RFC 8032, section 7.1, TEST 2.
const MacKey kSeed = seed_of("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");

TEST(Ed25519, signs_as_the_rfc_says) {
  const Ed25519Key key(kSeed);
  EXPECT_EQ(to_hex(as_bytes_view(key.public_key())),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  EXPECT_EQ(to_hex(as_bytes_view(key.sign("\x72"))),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

TEST(Ed25519, another_text_key_or_signature_does_not_hold) {
  const Ed25519Key key(kSeed);
  auto signature = key.sign("text");
  EXPECT_TRUE(signature_holds(key.public_key(), "text", signature));
  EXPECT_FALSE(signature_holds(key.public_key(), "texT", signature));
  MacKey other = kSeed;
  other[0] ^= 1U;
  EXPECT_FALSE(signature_holds(Ed25519Key(other).public_key(), "text", signature));
  signature[40] ^= 1U;
  EXPECT_FALSE(signature_holds(key.public_key(), "text", signature));
}

TEST(Ed25519, a_public_key_travels_as_pem) {
  const Ed25519Key key(kSeed);
  const std::string pem = to_pem(key.public_key());
  EXPECT_EQ(pem,
            "-----BEGIN PUBLIC KEY-----\n"
            "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
            "-----END PUBLIC KEY-----\n");
  EXPECT_EQ(public_key_from_pem(pem), key.public_key());
  EXPECT_EQ(public_key_from_pem("\n" + pem + " \r\n"), key.public_key());
}

TEST(Ed25519, what_is_no_such_pem_is_refused) {
  const std::string pem = to_pem(Ed25519Key(kSeed).public_key());
  std::string other_kind = pem;
  other_kind.replace(pem.find("K2Vw"), 4, "K2Vu");  // X25519
  std::string short_one = pem;
  short_one.erase(pem.find("Zgw="), 1);
  for (const std::string& text :
       {std::string(), std::string("x"), pem + pem, other_kind, short_one, pem.substr(0, 40)})
    EXPECT_FALSE(public_key_from_pem(text)) << text;
}

TEST(Ed25519, the_name_of_a_key_follows_from_it) {
  const Ed25519Key key(kSeed);
  EXPECT_EQ(key_id_of(key.public_key()).size(), 16U);
  EXPECT_EQ(key_id_of(key.public_key()), key_id_of(Ed25519Key(kSeed).public_key()));
  MacKey other = kSeed;
  other[0] ^= 1U;
  EXPECT_NE(key_id_of(key.public_key()), key_id_of(Ed25519Key(other).public_key()));
}

}  // namespace
}  // namespace annolog::platform::ed25519_test
