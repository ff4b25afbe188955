// Pages of an annotation's history: what happened and what was said, in order of time.
#include "api/annotation_history.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace annolog::api::annotation_history_test {
namespace {

using Times = std::vector<std::int64_t>;

// Entries have even times, comments odd ones, which are their ids.
struct Told {
  Times happened;
  Times said;
  std::int64_t fits = 100;  // entries, by their bytes
};

HistoryPart happened_in(const Told& told, const PageStart& start) {
  HistoryPart part;
  const auto most = static_cast<std::size_t>(std::min(told.fits, start.limit));
  for (auto i = static_cast<std::size_t>(start.shown.entries); i < told.happened.size(); ++i) {
    part.more = part.items.size() == most;
    if (part.more) break;
    part.items.emplace_back().at = {told.happened[i]};
  }
  return part;
}

HistoryPart said_in(const Told& told, const PageStart& start) {
  HistoryPart part;
  for (const std::int64_t at : told.said) {
    if (at <= start.shown.comment.value) continue;
    part.more = part.items.size() == static_cast<std::size_t>(start.limit);
    if (part.more) break;
    auto& item = part.items.emplace_back();
    item.at = {at};
    item.comment.emplace().id = CommentId{at};
  }
  return part;
}

Times walk(const Told& told, std::int64_t limit) {
  Times seen;
  std::optional<Shown> shown = Shown{};
  while (shown && seen.size() < 100) {
    const PageStart start{*shown, limit};
    const auto page = merged(happened_in(told, start), said_in(told, start), start);
    EXPECT_LE(page.items.size(), static_cast<std::size_t>(limit));
    EXPECT_FALSE(page.items.empty() && page.next) << "it would never end";
    for (const auto& item : page.items) seen.push_back(item.at.ms);
    shown = page.next;
  }
  return seen;
}

TEST(AnnotationHistory, comes_in_order_of_time_on_pages_of_any_length) {
  const Told told{{2, 4, 6, 20, 30}, {1, 5, 7, 9, 11, 31}};
  const Times all{1, 2, 4, 5, 6, 7, 9, 11, 20, 30, 31};
  for (const std::int64_t limit : {1, 2, 3, 5, 10, 11, 200}) {
    for (const std::int64_t fits : {1, 2, 3, 100}) {
      EXPECT_EQ(walk({told.happened, told.said, fits}, limit), all) << limit << " " << fits;
    }
  }
}

TEST(AnnotationHistory, may_lack_either) {
  EXPECT_EQ(walk({{2, 4}, {}}, 1), (Times{2, 4}));
  EXPECT_EQ(walk({{}, {1, 3, 5}}, 2), (Times{1, 3, 5}));
  EXPECT_EQ(walk({{}, {}}, 2), Times{});
}

TEST(AnnotationHistory, tells_what_happened_before_what_was_said_then) {
  HistoryPart happened;
  happened.items.emplace_back().at = {5};
  HistoryPart said;
  said.items.emplace_back().at = {5};
  said.items.back().comment.emplace().id = CommentId{7};
  const auto page = merged(std::move(happened), std::move(said), {{}, 9});
  ASSERT_EQ(page.items.size(), 2U);
  EXPECT_FALSE(page.items[0].comment);
  EXPECT_TRUE(page.items[1].comment);
  EXPECT_FALSE(page.next);
}

}  // namespace
}  // namespace annolog::api::annotation_history_test
