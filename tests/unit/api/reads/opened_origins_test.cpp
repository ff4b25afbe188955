#include "api/opened_origins.hpp"

#include <gtest/gtest.h>

namespace annolog::api::opened_origins_test {
namespace {

class OpenedOriginsTest : public ::testing::Test {
 protected:
  static std::string sealed(const std::string& text) {
    return R"({"sealed":{"key_id":"key","base64":")" + text + R"("}})";
  }
  std::string ip_of(const std::string& text, std::uint64_t names = 1) {
    const auto plain = origins_.open(sealed(text), names);
    return plain ? plain->ip : "none";
  }
  bool is_open(const std::string& text, std::uint64_t names = 1) {
    return origins_.opened(sealed(text), names).has_value();
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

TEST_F(OpenedOriginsTest, knows_what_it_has_opened_already) {
  EXPECT_FALSE(is_open("a"));
  ip_of("a");
  EXPECT_TRUE(is_open("a"));
  EXPECT_FALSE(is_open("b"));
  EXPECT_FALSE(is_open("a", 2));
  EXPECT_EQ(opened_, 1);
}

TEST_F(OpenedOriginsTest, has_nothing_to_open_where_a_request_came_from_nowhere) {
  EXPECT_FALSE(origins_.open("{}", 1));
  const auto opened = origins_.opened("{}", 1);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(*opened);
  EXPECT_EQ(opened_, 0);
}

}  // namespace
}  // namespace annolog::api::opened_origins_test
