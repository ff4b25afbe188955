#include "api/auth/oidc_attempts.hpp"

#include <gtest/gtest.h>

#include "platform/files.hpp"

namespace annolog::api::oidc_attempts_test {
namespace {

constexpr Timestamp kNow{1'700'000'000'000};
constexpr std::int64_t kLifeMs = std::chrono::milliseconds(OidcAttempts::kLifetime).count();

class OidcAttemptsTest : public ::testing::Test {
 protected:
  platform::TempDir folder_;
  platform::Keyring keyring_ = platform::Keyring::open(folder_.path());
  OidcAttempts attempts_{keyring_};
};

TEST_F(OidcAttemptsTest, what_a_browser_keeps_comes_back) {
  const OidcAttempt begun = OidcAttempts::begin("/tasks?a=1.2");
  const auto opened = attempts_.open(attempts_.cookie_of(begun, kNow), kNow + (kLifeMs - 1));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->id, begun.id);
  EXPECT_EQ(opened->return_to, "/tasks?a=1.2");
  EXPECT_EQ(attempts_.state(*opened), attempts_.state(begun));
}

TEST_F(OidcAttemptsTest, it_does_so_for_ten_minutes) {
  const std::string cookie = attempts_.cookie_of(OidcAttempts::begin("/"), kNow);
  EXPECT_FALSE(attempts_.open(cookie, kNow + kLifeMs));
}

TEST_F(OidcAttemptsTest, what_was_never_given_opens_nothing) {
  std::string cookie = attempts_.cookie_of(OidcAttempts::begin("/"), kNow);
  const std::string other_purpose =
      platform::TextSigner(keyring_).sign(platform::Purpose::cursor, "1800000000000.x./");
  cookie.back() = cookie.back() == 'A' ? 'Q' : 'A';
  for (const std::string& wrong : {cookie, other_purpose, std::string(), std::string("a.b.c")})
    EXPECT_FALSE(attempts_.open(wrong, kNow)) << wrong;
}

TEST_F(OidcAttemptsTest, no_two_attempts_and_no_two_parts_are_alike) {
  const OidcAttempt one = OidcAttempts::begin("/");
  const OidcAttempt two = OidcAttempts::begin("/");
  EXPECT_NE(attempts_.state(one), attempts_.state(two));
  EXPECT_NE(attempts_.state(one), attempts_.nonce(one));
  EXPECT_NE(attempts_.nonce(one), attempts_.verifier(one));
}

TEST_F(OidcAttemptsTest, a_verifier_is_43_unreserved_characters) {
  const std::string verifier = attempts_.verifier(OidcAttempts::begin("/"));
  EXPECT_EQ(verifier.size(), 43U);
  EXPECT_EQ(verifier.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_"),
            std::string::npos);
}

}  // namespace
}  // namespace annolog::api::oidc_attempts_test
