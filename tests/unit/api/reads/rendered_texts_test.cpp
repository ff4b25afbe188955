#include "api/rendered_texts.hpp"

#include <array>

#include <gtest/gtest.h>

namespace annolog::api::rendered_texts_test {
namespace {

constexpr Timestamp kNow{1'750'000'000'000};
constexpr std::uint64_t kNames = 3;

class RenderedTextsTest : public ::testing::Test {
 protected:
  // The joined texts; nullopt: not all of them are there.
  std::optional<std::string> joined(std::vector<RenderedTexts::Key> keys,
                                    std::uint64_t names = kNames, Timestamp now = kNow) {
    std::string out = "[";
    if (!texts_.append_all(keys, names, now, out)) {
      EXPECT_EQ(out, "[") << "nothing may be left behind";
      return std::nullopt;
    }
    return out.substr(1);
  }
  RenderedTexts texts_{1000};
};

TEST_F(RenderedTextsTest, joins_the_texts_in_the_order_asked_for) {
  texts_.put({1, 5}, kNames, {}, "one", kNow);
  texts_.put({2, 6}, kNames, {}, "two", kNow);
  EXPECT_EQ(joined({{2, 6}, {1, 5}}), "two,one");
  EXPECT_EQ(joined({}), "");
}

TEST_F(RenderedTextsTest, says_where_the_last_one_stands_in_its_list) {
  texts_.put({1}, kNames, {}, "one", kNow);
  texts_.put({2}, kNames, {}, "two", kNow + 5);
  std::string out;
  const std::array<RenderedTexts::Key, 2> keys{{{1}, {2}}};
  EXPECT_EQ(texts_.append_all(keys, kNames, kNow, out), kNow + 5);
  EXPECT_EQ(texts_.append_all(std::span(keys).first(1), kNames, kNow, out), kNow);
}

TEST_F(RenderedTextsTest, has_all_or_gives_none) {
  texts_.put({1, 5}, kNames, {}, "one", kNow);
  EXPECT_EQ(joined({{1, 5}, {2, 6}}), std::nullopt);
}

TEST_F(RenderedTextsTest, a_text_is_of_one_version_and_of_one_set_of_names) {
  texts_.put({1, 5}, kNames, {}, "one", kNow);
  EXPECT_EQ(joined({{1, 6}}), std::nullopt);
  EXPECT_EQ(joined({{1, 4}}), std::nullopt);
  EXPECT_EQ(joined({{1, 5}}, kNames + 1), std::nullopt);
  texts_.put({1, 6}, kNames + 1, {}, "one changed", kNow);
  EXPECT_EQ(joined({{1, 6}}, kNames + 1), "one changed");
  EXPECT_EQ(joined({{1, 5}}), std::nullopt);
}

TEST_F(RenderedTextsTest, a_text_ends_when_it_is_no_longer_true) {
  texts_.put({1, 5}, kNames, kNow + 1000, "locked", kNow);
  EXPECT_EQ(joined({{1, 5}}, kNames, kNow + 999), "locked");
  EXPECT_EQ(joined({{1, 5}}, kNames, kNow + 1000), std::nullopt);
}

TEST_F(RenderedTextsTest, keeps_what_is_used_and_lets_go_of_the_rest) {
  const std::string text(100, 'x');
  texts_.put({1, 1}, kNames, {}, text, kNow);
  for (std::int64_t id = 2; id < 100; ++id) {
    texts_.put({id, 1}, kNames, {}, text, kNow);
    EXPECT_TRUE(joined({{1, 1}})) << id;
  }
  std::int64_t kept = 0;
  for (std::int64_t id = 1; id < 100; ++id) kept += joined({{id, 1}}) ? 1 : 0;
  EXPECT_LE(kept, 10) << "1000 bytes";
}

}  // namespace
}  // namespace annolog::api::rendered_texts_test
