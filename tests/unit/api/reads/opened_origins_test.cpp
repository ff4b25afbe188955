#include "api/opened_origins.hpp"

#include <gtest/gtest.h>

namespace annolog::api::opened_origins_test {
namespace {

class OpenedOriginsTest : public ::testing::Test {
 protected:
  static RequestOrigin sealed(const std::string& text) {
    RequestOrigin origin;
    origin.sealed = Sealed{"key", text};
    return origin;
  }
  std::string ip_of(const std::string& text, std::uint64_t names = 1) {
    const auto plain = origins_.open(sealed(text), names);
    return plain ? plain->ip : "none";
  }

  bool is_erased_ = false;
  int opened_ = 0;
  OpenedOrigins origins_{[this](const RequestOrigin& origin) -> std::optional<PlainOrigin> {
                           ++opened_;
                           if (is_erased_) return std::nullopt;
                           return PlainOrigin{"ip of " + origin.sealed->base64, "agent"};
                         },
                         3};
};

TEST_F(OpenedOriginsTest, opens_what_is_sealed_once) {
  EXPECT_EQ(ip_of("a"), "ip of a");
  EXPECT_EQ(ip_of("a"), "ip of a");
  EXPECT_EQ(ip_of("b"), "ip of b");
  EXPECT_EQ(opened_, 2);
}

TEST_F(OpenedOriginsTest, shows_nothing_of_somebody_erased_since) {
  EXPECT_EQ(ip_of("a", 1), "ip of a");
  is_erased_ = true;
  EXPECT_EQ(ip_of("a", 2), "none");
  is_erased_ = false;
  EXPECT_EQ(ip_of("a", 2), "ip of a") << "that there was nothing is not kept";
}

TEST_F(OpenedOriginsTest, keeps_no_more_than_it_may) {
  for (const char* text : {"a", "b", "c", "d", "a"}) ip_of(text);
  EXPECT_EQ(opened_, 5);
  ip_of("d");
  EXPECT_EQ(opened_, 5);
}

TEST_F(OpenedOriginsTest, has_nothing_to_open_where_nothing_is_sealed) {
  EXPECT_FALSE(origins_.open({}, 1));
  EXPECT_EQ(opened_, 0);
}

}  // namespace
}  // namespace annolog::api::opened_origins_test
