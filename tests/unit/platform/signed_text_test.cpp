#include "platform/signed_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "platform/files.hpp"

namespace annolog::platform::signed_text_test {
namespace {

class SignedText : public ::testing::Test {
 protected:
  TempDir dir_;
  Keyring keyring_ = Keyring::open(dir_.path());
  TextSigner signer_{keyring_};
};

TEST_F(SignedText, comes_back_as_it_was) {
  for (const std::string& payload :
       {std::string(), std::string("{\"id\":7}"), std::string("a.b.c"), std::string("\0\xff", 2)}) {
    const std::string token = signer_.sign(Purpose::cursor, payload);
    EXPECT_EQ(signer_.verify(Purpose::cursor, token), payload);
    EXPECT_EQ(token.find_first_of("+/=% &?"), std::string::npos) << "must be safe in a URL";
  }
}

TEST_F(SignedText, of_another_purpose_is_refused) {
  EXPECT_EQ(signer_.verify(Purpose::url, signer_.sign(Purpose::cursor, "x")), std::nullopt);
}

TEST_F(SignedText, bound_to_a_text_is_refused_with_any_other) {
  const std::string token = signer_.sign(Purpose::cursor, "x", "list");
  EXPECT_EQ(signer_.verify(Purpose::cursor, token, "list"), "x");
  EXPECT_EQ(token.size(), signer_.sign(Purpose::cursor, "x").size());
  for (const std::string& other : {std::string(), std::string("lis"), std::string("list?"),
                                   std::string("list\0", 5), std::string("\0list", 5)})
    EXPECT_EQ(signer_.verify(Purpose::cursor, token, other), std::nullopt) << other;
  EXPECT_EQ(signer_.verify(Purpose::cursor, signer_.sign(Purpose::cursor, "x"), "list"),
            std::nullopt);
}

TEST_F(SignedText, of_another_service_is_refused) {
  const TempDir other_dir;
  const Keyring other = Keyring::open(other_dir.path());
  EXPECT_EQ(signer_.verify(Purpose::cursor, TextSigner(other).sign(Purpose::cursor, "x")),
            std::nullopt);
}

TEST_F(SignedText, changed_anywhere_is_refused) {
  const std::string token = signer_.sign(Purpose::cursor, "{\"after\":41}");
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (const char other : {'A', 'b', '.', '-', '\0', '\xff'}) {
      if (token[i] == other) continue;
      std::string changed = token;
      changed[i] = other;
      EXPECT_EQ(signer_.verify(Purpose::cursor, changed), std::nullopt) << i << changed;
    }
    EXPECT_EQ(signer_.verify(Purpose::cursor, token.substr(0, i)), std::nullopt);
    EXPECT_EQ(signer_.verify(Purpose::cursor, token.substr(i + 1)), std::nullopt);
  }
}

TEST_F(SignedText, that_never_was_one_is_refused) {
  const std::string kid = keyring_.current(Purpose::cursor).kid;
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string("..."), kid, kid + ".",
        kid + "..", kid + ".eA.", kid + ".eA.AAAA", kid + ".eA.====", std::string(20'000, 'a'),
        kid + "." + std::string(20'000, 'a') + ".a"}) {
    EXPECT_EQ(signer_.verify(Purpose::cursor, bad), std::nullopt) << bad.substr(0, 60);
  }
}

TEST_F(SignedText, stays_good_after_a_rotation) {
  const std::string token = signer_.sign(Purpose::cursor, "x");
  keyring_.rotate();
  EXPECT_EQ(signer_.verify(Purpose::cursor, token), "x");
  EXPECT_NE(signer_.sign(Purpose::cursor, "x"), token);
}

TEST_F(SignedText, too_long_to_be_verified_is_not_signed) {
  EXPECT_THROW((void)signer_.sign(Purpose::cursor, std::string(9000, 'x')), std::length_error);
}

}  // namespace
}  // namespace annolog::platform::signed_text_test
