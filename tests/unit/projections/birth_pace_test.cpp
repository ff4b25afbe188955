// Batches with many new tasks are followed by small ones, and by rests; others are not.
#include "projections/engine/birth_pace.hpp"

#include <gtest/gtest.h>

namespace annolog::projections::birth_pace_test {
namespace {

constexpr std::size_t kRecords = 2'000;
constexpr std::size_t kBirths = 100;

TEST(BirthPace, batches_without_new_tasks_stay_as_large_as_they_come) {
  BirthPace pace(kRecords, kBirths);
  EXPECT_FALSE(pace.took(kRecords, 0));
  EXPECT_EQ(pace.records(), kRecords);
}

TEST(BirthPace, many_new_tasks_make_the_next_batch_small) {
  BirthPace pace(kRecords, kBirths);
  EXPECT_TRUE(pace.took(400, 10'000));
  EXPECT_EQ(pace.records(), 4U);
  EXPECT_TRUE(pace.took(4, 100));
  EXPECT_EQ(pace.records(), 4U);
}

TEST(BirthPace, a_record_of_very_many_new_tasks_comes_alone) {
  BirthPace pace(kRecords, kBirths);
  EXPECT_TRUE(pace.took(1, 1'000));
  EXPECT_EQ(pace.records(), 1U);
}

TEST(BirthPace, batches_grow_again_when_the_new_tasks_are_made) {
  BirthPace pace(kRecords, kBirths);
  pace.took(400, 10'000);
  EXPECT_FALSE(pace.took(4, 50));
  EXPECT_EQ(pace.records(), 8U);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(pace.took(8, 0));
  EXPECT_EQ(pace.records(), kRecords);
}

}  // namespace
}  // namespace annolog::projections::birth_pace_test
