#include "platform/seal.hpp"

#include <gtest/gtest.h>

#include "platform/random.hpp"

namespace annolog::platform::seal_test {
namespace {

constexpr SealContext kEmail{"user/7/email"};

TEST(Sealer, opens_what_it_sealed) {
  const SubjectKey key{random_key()};
  for (const std::string& text : {std::string(), std::string("ann@example.org"),
                                  std::string("\0\xff", 2), std::string(100'000, 'x')}) {
    const std::string sealed = Sealer::seal(key, kEmail, text);
    EXPECT_EQ(sealed.size(), text.size() + Sealer::kOverheadBytes);
    EXPECT_EQ(Sealer::open(key, kEmail, sealed), text);
  }
}

TEST(Sealer, the_same_input_gives_the_same_bytes_and_any_other_input_gives_others) {
  const SubjectKey key{random_key()};
  const std::string sealed = Sealer::seal(key, kEmail, "ann");
  EXPECT_EQ(Sealer::seal(key, kEmail, "ann"), sealed);
  EXPECT_NE(Sealer::seal(key, kEmail, "anna"), sealed);
  EXPECT_NE(Sealer::seal(key, {"user/7/name"}, "ann"), sealed);
  EXPECT_NE(Sealer::seal({random_key()}, kEmail, "ann"), sealed);
}

TEST(Sealer, another_key_or_context_opens_nothing) {
  const SubjectKey key{random_key()};
  const std::string sealed = Sealer::seal(key, kEmail, "ann");
  EXPECT_EQ(Sealer::open({random_key()}, kEmail, sealed), std::nullopt);
  EXPECT_EQ(Sealer::open(key, {"user/8/email"}, sealed), std::nullopt);
}

TEST(Sealer, no_byte_can_be_changed_and_no_end_cut) {
  const SubjectKey key{random_key()};
  const std::string sealed = Sealer::seal(key, kEmail, "ann@example.org");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(Sealer::open(key, kEmail, changed), std::nullopt) << "byte " << i;
    EXPECT_EQ(Sealer::open(key, kEmail, sealed.substr(0, i)), std::nullopt) << "cut at " << i;
  }
  EXPECT_EQ(Sealer::open(key, kEmail, sealed + "x"), std::nullopt);
}

}  // namespace
}  // namespace annolog::platform::seal_test
