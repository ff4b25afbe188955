// Places for long work: how many in all, how many for each, and that they come back.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "api/places.hpp"

namespace annolog::api::places_test {
namespace {

DomainError mine_full() {
  return {DomainError::Kind::limited, "TOO_MANY_TOYS", "At most 2 of yours.", {}, {}, 7};
}

Places four_of_two() { return Places({.all = 4, .each = 2}, mine_full()); }

TEST(Places, each_has_so_many_and_others_have_theirs) {
  Places places = four_of_two();
  std::vector<Places::Place> taken{places.take(1).value(), places.take(1).value()};
  const auto third = places.take(1);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), mine_full());
  EXPECT_TRUE(places.take(2));
}

TEST(Places, when_all_are_taken_everybody_is_refused_for_a_while) {
  Places places = four_of_two();
  std::vector<Places::Place> taken;
  for (const int whose : {1, 2, 3, 4}) taken.push_back(places.take(whose).value());
  const auto fifth = places.take(5);
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().kind, DomainError::Kind::unavailable);
  EXPECT_EQ(fifth.error().code, "OVERLOADED");
  EXPECT_GT(fifth.error().retry_after_s, 0);
  EXPECT_FALSE(places.take(1)) << "having one does not help";
}

TEST(Places, a_place_is_free_again_when_its_last_copy_is_gone) {
  Places places({.all = 1, .each = 1}, mine_full());
  auto place = places.take(1).value();
  auto copy = place;
  place.reset();
  EXPECT_FALSE(places.take(1));
  EXPECT_FALSE(places.take(2));
  copy.reset();
  EXPECT_TRUE(places.take(2)) << "it is let go at once";
  EXPECT_TRUE(places.take(1));
}

TEST(Places, a_place_may_outlive_the_places) {
  std::optional<Places> places = four_of_two();
  auto place = places->take(1).value();
  places.reset();
  place.reset();
}

TEST(Places, the_metric_shows_how_many_are_taken) {
  platform::Metrics metrics;
  const auto taken = metrics.gauge({"toys_taken", "Toys that somebody has"});
  Places places({.all = 4, .each = 2}, mine_full(), taken);
  auto mine = places.take(1).value();
  const auto other = places.take(2).value();
  EXPECT_EQ(taken.value(), 2);
  mine.reset();
  EXPECT_EQ(taken.value(), 1);
}

}  // namespace
}  // namespace annolog::api::places_test
