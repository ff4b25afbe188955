// Every pair of task status and trigger has an expected outcome (spec, "States and transitions";
// decisions, section 5).
#include <gtest/gtest.h>

#include <map>

#include "domain/task/transitions.hpp"

namespace annolog {
namespace {

using S = TaskStatus;
using T = TaskTrigger;
constexpr std::optional<S> kNone = std::nullopt;

constexpr S kStatuses[] = {S::pending, S::assigned, S::in_progress, S::submitted,
                           S::review,  S::rejected, S::completed};
constexpr T kTriggers[] = {T::start,  T::submit,           T::send_to_review, T::approve,
                           T::reject, T::accept_rejection, T::reopen,         T::skip};

// One row a status, one column a trigger, in the order of kTriggers.
const std::map<S, std::vector<std::optional<S>>> kExpected{
    {S::pending, {S::in_progress, kNone, kNone, kNone, kNone, kNone, kNone, kNone}},
    {S::assigned, {S::in_progress, kNone, kNone, kNone, kNone, kNone, kNone, S::pending}},
    {S::in_progress, {kNone, S::submitted, S::review, kNone, kNone, kNone, kNone, S::pending}},
    {S::submitted, {kNone, kNone, S::review, S::completed, S::rejected, kNone, kNone, kNone}},
    {S::review, {kNone, kNone, kNone, S::completed, S::rejected, kNone, kNone, kNone}},
    {S::rejected, {kNone, kNone, kNone, kNone, kNone, S::in_progress, kNone, S::pending}},
    {S::completed, {kNone, kNone, kNone, kNone, kNone, kNone, S::in_progress, kNone}},
};

TEST(TaskTransitions, every_status_and_trigger_has_its_outcome) {
  for (const S from : kStatuses) {
    const auto& row = kExpected.at(from);
    ASSERT_EQ(row.size(), std::size(kTriggers));
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_EQ(target_of(from, kTriggers[i]), row[i])
          << to_string(from) << " x " << to_string(kTriggers[i]);
    }
  }
}

TEST(TaskTransitions, the_table_has_no_row_twice) {
  for (std::size_t i = 0; i < kTaskTransitions.size(); ++i) {
    for (std::size_t j = i + 1; j < kTaskTransitions.size(); ++j) {
      const auto& a = kTaskTransitions[i];
      const auto& b = kTaskTransitions[j];
      EXPECT_FALSE(a.from == b.from && a.trigger == b.trigger);
    }
  }
}

TEST(TaskTransitions, an_impossible_step_names_where_it_stands_and_what_is_allowed) {
  const auto error = impossible(S::pending, T::approve);
  EXPECT_EQ(error.kind, DomainError::Kind::conflict);
  EXPECT_EQ(error.code, "INVALID_TRANSITION");
  const DomainError::Detail expected{{"from", std::string("pending")},
                                     {"to", std::string("completed")},
                                     {"allowed", std::vector<std::string>{"submitted", "review"}}};
  EXPECT_EQ(error.detail, expected);
}

}  // namespace
}  // namespace annolog
