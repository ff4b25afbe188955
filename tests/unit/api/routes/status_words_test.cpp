#include "api/status_words.hpp"

#include <gtest/gtest.h>

namespace annolog::api::status_words_test {
namespace {

TEST(StatusWords, the_lifecycles_words_stand_for_stored_statuses) {
  EXPECT_EQ(statuses_of({"created", "returned", "reviewed"}),
            (std::vector{TaskStatus::pending, TaskStatus::rejected, TaskStatus::completed}));
  EXPECT_EQ(statuses_of({}), std::vector<TaskStatus>{});
}

TEST(StatusWords, a_status_counts_once_however_it_is_named) {
  EXPECT_EQ(statuses_of({"returned", "pending", "rejected", "created", "pending"}),
            (std::vector{TaskStatus::pending, TaskStatus::rejected}));
}

TEST(StatusWords, every_word_is_known) {
  for (const std::string& word : status_words()) EXPECT_EQ(statuses_of({word}).size(), 1U) << word;
}

}  // namespace
}  // namespace annolog::api::status_words_test
