#include "platform/password.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace annolog::platform::password_test {
namespace {

constexpr PasswordCost kCheap{.memory_kib = 8, .passes = 1};

TEST(Password, only_the_right_one_verifies) {
  const PasswordHasher hasher(kCheap);
  const std::string hash = hasher.hash("Correct-Horse1");
  EXPECT_TRUE(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$")) << hash;
  EXPECT_TRUE(hasher.verify(hash, "Correct-Horse1"));
  for (const std::string_view wrong : {"", "correct-horse1", "Correct-Horse1 ", "Correct-Horse"}) {
    EXPECT_FALSE(hasher.verify(hash, wrong)) << wrong;
  }
}

TEST(Password, the_same_one_hashes_differently_each_time) {
  const PasswordHasher hasher(kCheap);
  EXPECT_NE(hasher.hash("Secret123"), hasher.hash("Secret123"));
}

TEST(Password, a_text_that_is_no_hash_never_verifies) {
  const PasswordHasher hasher(kCheap);
  for (const std::string& bad : {std::string(), std::string("plain"), std::string(5000, '$'),
                                 std::string("$argon2id$v=19$m=8,t=1,p=1$AAAA$BBBB"),
                                 std::string("$2b$12$abcdefghijklmnopqrstuv")}) {
    EXPECT_FALSE(hasher.verify(bad, ""));
  }
}

TEST(Password, a_too_long_one_is_refused_and_does_not_match_its_own_beginning) {
  const PasswordHasher hasher(kCheap);
  const std::string longest(PasswordHasher::kMaxPasswordBytes, 'a');
  const std::string hash = hasher.hash(longest);
  EXPECT_TRUE(hasher.verify(hash, longest));
  EXPECT_FALSE(hasher.verify(hash, longest + "a"));
  EXPECT_THROW((void)hasher.hash(longest + "a"), std::invalid_argument);
}

TEST(Password, a_hash_of_another_cost_verifies) {
  const PasswordHasher old_cost(kCheap);
  const PasswordHasher new_cost({.memory_kib = 16, .passes = 2});
  const std::string hash = old_cost.hash("Secret123");
  EXPECT_TRUE(new_cost.verify(hash, "Secret123"));
}

TEST(Password, an_unknown_user_never_gets_in) {
  const PasswordHasher hasher(kCheap);
  EXPECT_FALSE(hasher.verify_dummy(""));
  EXPECT_FALSE(hasher.verify_dummy("Secret123"));
}

TEST(Password, a_cost_out_of_range_is_refused) {
  EXPECT_THROW(PasswordHasher({.memory_kib = 7, .passes = 1}), std::invalid_argument);
  EXPECT_THROW(PasswordHasher({.memory_kib = 8, .passes = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace annolog::platform::password_test
