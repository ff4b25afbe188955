// Many rows are read by walking from one to the next, and by looking where the next is far.
#include "commands/state/near_rows.hpp"

#include <gmock/gmock.h>

#include <map>
#include <utility>
#include <vector>

namespace annolog::commands::near_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Rows of a table, and how often a scan was begun.
class Rows final : public eventstore::StateView {
 public:
  void put(std::int64_t id) {
    rows_[Key(Table::item).id(ItemId{id}).take()] = "row " + std::to_string(id);
  }
  int scans() const { return scans_; }

  std::optional<std::string> get(std::string_view) const override { return std::nullopt; }
  void scan(std::string_view prefix, std::string_view from_key,
            const eventstore::ScanCallback& callback) const override {
    ++scans_;
    for (auto at = rows_.lower_bound(from_key); at != rows_.end(); ++at)
      if (!at->first.starts_with(prefix) || !callback(at->first, at->second)) return;
  }
  void scan_reverse(std::string_view, std::string_view,
                    const eventstore::ScanCallback&) const override {}

 private:
  std::map<std::string, std::string, std::less<>> rows_;
  mutable int scans_ = 0;
};

using Visited = std::vector<std::pair<std::int64_t, std::string>>;

Visited visited(const Rows& rows, const std::vector<std::int64_t>& numbers) {
  std::vector<ItemId> ids;
  for (const std::int64_t number : numbers) ids.emplace_back(number);
  Visited found;
  each_near_row(rows, Key(Table::item), ids,
                [&](ItemId id, std::string_view value) { found.emplace_back(id.value, value); });
  return found;
}

std::vector<std::int64_t> ids_of(const Visited& visited) {
  std::vector<std::int64_t> ids;
  for (const auto& [id, value] : visited) ids.push_back(id);
  return ids;
}

TEST(NearRows, those_that_are_there_come_in_order_with_their_values) {
  Rows rows;
  for (const std::int64_t id : {1, 2, 3, 5, 7}) rows.put(id);
  EXPECT_THAT(visited(rows, {2, 3, 4, 7, 9}),
              ElementsAre(Pair(2, "row 2"), Pair(3, "row 3"), Pair(7, "row 7")));
  EXPECT_EQ(rows.scans(), 1);
}

TEST(NearRows, none_are_wanted_or_none_are_there) {
  Rows rows;
  EXPECT_THAT(visited(rows, {1, 2}), IsEmpty());
  rows.put(3);
  EXPECT_THAT(visited(rows, {}), IsEmpty());
  EXPECT_THAT(visited(rows, {4, 5}), IsEmpty());
  EXPECT_THAT(visited(rows, {1, 2}), IsEmpty());
}

TEST(NearRows, what_lies_between_far_ones_is_not_walked_over) {
  Rows rows;
  for (std::int64_t id = 1; id <= 1000; ++id) rows.put(id);
  EXPECT_THAT(ids_of(visited(rows, {1, 2, 500, 501, 1000, 2000})),
              ElementsAre(1, 2, 500, 501, 1000));
  EXPECT_EQ(rows.scans(), 3);
}

TEST(NearRows, ids_in_any_order_are_visited_in_that_order) {
  Rows rows;
  for (std::int64_t id = 1; id <= 30; ++id) rows.put(id);
  EXPECT_THAT(ids_of(visited(rows, {30, 3, 4, 4, 40, 2, 1})), ElementsAre(30, 3, 4, 4, 2, 1));
}

}  // namespace
}  // namespace annolog::commands::near_rows_test
