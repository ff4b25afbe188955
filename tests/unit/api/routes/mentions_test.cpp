// Which members "@name" in a text mentions.
#include "api/mentions.hpp"

#include <gmock/gmock.h>

namespace annolog::api::mentions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

UserBrief person(std::int64_t id, std::string username) {
  return {UserId{id}, "Somebody", std::move(username)};
}

const std::vector<UserBrief> kPeople{person(1, "ada"),
                                     person(2, "ada.lovelace"),
                                     person(3, "Bert@Example.org"),
                                     person(4, "Zo\u00EB"),
                                     person(5, "Jo Smith"),
                                     person(6, "o'neil"),
                                     person(7, "\u5C0F\u660E"),
                                     person(8, ""),
                                     person(9, "ada+x@example.org"),
                                     person(10, "stra\u00DFe")};

std::vector<std::int64_t> mentioned(std::string_view text) {
  std::vector<std::int64_t> ids;
  for (const UserId id : mentioned_in(text, kPeople)) ids.push_back(id.value);
  return ids;
}

TEST(Mentions, are_members_after_an_at) {
  EXPECT_THAT(mentioned("@ada"), ElementsAre(1));
  EXPECT_THAT(mentioned("Please look, @ada!"), ElementsAre(1));
  EXPECT_THAT(mentioned("ada"), IsEmpty());
  EXPECT_THAT(mentioned("@ ada"), IsEmpty());
  EXPECT_THAT(mentioned("@grace"), IsEmpty());
  EXPECT_THAT(mentioned("@"), IsEmpty());
  EXPECT_THAT(mentioned(""), IsEmpty());
}

TEST(Mentions, take_the_longest_name) {
  EXPECT_THAT(mentioned("@ada.lovelace"), ElementsAre(2));
  EXPECT_THAT(mentioned("@ada.lovelace."), ElementsAre(2));
  EXPECT_THAT(mentioned("@ada.love"), IsEmpty());
  EXPECT_THAT(mentioned("@ada.lovelacex"), IsEmpty());
  EXPECT_THAT(mentioned("@ada+x@example.org"), ElementsAre(9));
}

TEST(Mentions, end_where_a_word_ends) {
  for (const char* text : {"@ada.", "@ada, do", "(@ada)", "@ada's", "@ada: x", "@ada/x", "@ada\n",
                           "**@ada**", "@ada\u3002", "@ada\u2026", "@ada-", "@ada - x",
                           "@ada."
                           " x"}) {
    EXPECT_THAT(mentioned(text), ElementsAre(1)) << text;
  }
  for (const char* text :
       {"@adam", "@ada_", "@ada1", "@ada-b", "@ada.b", "@ada+b", "@ada@b.org", "@ada\u00E9"}) {
    EXPECT_THAT(mentioned(text), IsEmpty()) << text;
  }
}

TEST(Mentions, may_be_addresses_and_an_address_is_no_mention) {
  EXPECT_THAT(mentioned("@bert@example.org."), ElementsAre(3));
  EXPECT_THAT(mentioned("bert@example.org"), IsEmpty());
  EXPECT_THAT(mentioned("x@ada"), IsEmpty());
  EXPECT_THAT(mentioned("@@ada"), IsEmpty());
  EXPECT_THAT(mentioned("\u00E9@ada"), IsEmpty());
  EXPECT_THAT(mentioned("-@ada .@ada"), ElementsAre(1));
}

TEST(Mentions, compare_as_the_sign_in_does) {
  EXPECT_THAT(mentioned("@ADA"), ElementsAre(1));
  EXPECT_THAT(mentioned("@BERT@EXAMPLE.ORG"), ElementsAre(3));
  EXPECT_THAT(mentioned("@zoe\u0308"), ElementsAre(4));
  EXPECT_THAT(mentioned("@ZO\u00CB"), ElementsAre(4));
  EXPECT_THAT(mentioned("@STRASSE"), ElementsAre(10));
  EXPECT_THAT(mentioned("\uFF20\uFF41da"), ElementsAre(1));  // full width
}

TEST(Mentions, may_have_what_words_have_not) {
  EXPECT_THAT(mentioned("@Jo Smith said"), ElementsAre(5));
  EXPECT_THAT(mentioned("@Jo Smithson"), IsEmpty());
  EXPECT_THAT(mentioned("@o'neil's"), ElementsAre(6));
  EXPECT_THAT(mentioned("@\u5C0F\u660E \u8BF7\u770B"), ElementsAre(7));
}

TEST(Mentions, come_once_and_in_the_order_of_the_text) {
  EXPECT_THAT(mentioned("@zo\u00EB @ada/@bert@example.org,@ada @ADA"), ElementsAre(4, 1, 3));
}

TEST(Mentions, cost_little_in_a_text_of_nothing_else) {
  std::string text;
  for (int i = 0; i < 2500; ++i) text += "@ ";
  EXPECT_THAT(mentioned(text), IsEmpty());
  EXPECT_THAT(mentioned(std::string(5000, '@')), IsEmpty());
}

TEST(Mentions, are_looked_for_only_where_there_is_an_at) {
  EXPECT_TRUE(may_mention("@ada"));
  EXPECT_TRUE(may_mention("\uFF20ada"));
  EXPECT_FALSE(may_mention("ada at example.org"));
}

}  // namespace
}  // namespace annolog::api::mentions_test
