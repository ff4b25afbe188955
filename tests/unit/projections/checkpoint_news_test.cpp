// What nodes tell each other of the read models' progress.
#include "projections/engine/checkpoint_news.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace annolog::projections::checkpoint_news_test {
namespace {

using eventstore::Offset;
using eventstore::Position;
using eventstore::ShardId;

constexpr std::size_t kPostgreSqlTakes = 8'000;

TEST(CheckpointNews, come_back_as_they_were_told) {
  const std::vector<CheckpointNews> all{
      {1, {}},
      {7, {{{ShardId{0}, Offset{0}}, true}}},
      {8, {{{ShardId{4}, Offset{9}}, false}, {{ShardId{5}, Offset{1}}, true}}},
      {std::numeric_limits<std::int64_t>::max(),
       {{{ShardId{65'535}, Offset{std::numeric_limits<std::uint64_t>::max()}}, true},
        {{ShardId{3}, Offset{12}}, true}}}};
  for (const CheckpointNews& news : all) {
    const auto back = checkpoint_news_from(to_text(news));
    ASSERT_TRUE(back) << to_text(news);
    EXPECT_EQ(back->generation, news.generation);
    EXPECT_EQ(back->reached, news.reached);
  }
}

TEST(CheckpointNews, too_many_to_tell_are_told_as_none) {
  CheckpointNews news{5, {}};
  bool told_all = true;
  for (std::uint16_t shard = 0; shard < 1'024; ++shard) {
    news.reached.push_back({{ShardId{shard}, Offset{std::uint64_t{1} << 40U}}, shard % 2 == 0});
    const std::string text = to_text(news);
    ASSERT_LT(text.size(), kPostgreSqlTakes);
    const auto back = checkpoint_news_from(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->generation, 5);
    const bool all = back->reached == news.reached;
    EXPECT_TRUE(all || back->reached.empty()) << "a part of them";
    EXPECT_TRUE(told_all || !all);
    told_all = all;
  }
  EXPECT_FALSE(told_all);
}

TEST(CheckpointNews, other_text_is_none) {
  for (const std::string text : {"",
                                 " ",
                                 "x",
                                 "1x",
                                 "1 ",
                                 "1 2",
                                 "1 2:",
                                 "1 :3",
                                 "1 2:3 ",
                                 "1 2:3x",
                                 "1  2:3",
                                 " 1 2:3",
                                 "1 2:3,4:5",
                                 "1 -2:3",
                                 "1 2:-3",
                                 "1 65536:3",
                                 "1 2~:3",
                                 "1 2:3~~",
                                 "1 2:18446744073709551616",
                                 "9223372036854775808"})
    EXPECT_FALSE(checkpoint_news_from(text)) << "'" << text << "'";
}

}  // namespace
}  // namespace annolog::projections::checkpoint_news_test
