// Every pair of task status and trigger has an expected outcome (spec, "States and transitions";
// decisions, section 5).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/task/transitions.hpp"

namespace annolog::transitions_test {
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
      const auto* found = find_step(from, kTriggers[i]);
      EXPECT_EQ(found == nullptr ? kNone : std::optional(found->to), row[i])
          << to_string(from) << " x " << to_string(kTriggers[i]);
    }
  }
}

// The same cells: who may. a annotator, A assignee, R reviewer, O owner, H who holds the lock.
const std::map<S, std::vector<std::string>> kWho{
    {S::pending, {"a", "", "", "", "", "", "", ""}},
    {S::assigned, {"A", "", "", "", "", "", "", "AR"}},
    {S::in_progress, {"", "ARH", "AR", "", "", "", "", "AR"}},
    {S::submitted, {"", "", "AR", "R", "R", "", "", ""}},
    {S::review, {"", "", "", "R", "R", "", "", ""}},
    {S::rejected, {"", "", "", "", "", "AO", "", "AR"}},
    {S::completed, {"", "", "", "", "", "", "AR", ""}},
};

std::string letters_of(TaskActor who) {
  std::string letters;
  for (const auto& [one, letter] :
       {std::pair{TaskActor::annotator, 'a'}, std::pair{TaskActor::assignee, 'A'},
        std::pair{TaskActor::reviewer, 'R'}, std::pair{TaskActor::owner, 'O'},
        std::pair{TaskActor::holder, 'H'}}) {
    if (includes(who, one)) letters += letter;
  }
  return letters;
}

TEST(TaskTransitions, every_row_of_the_table_is_for_those_whom_the_law_names) {
  for (const auto& row : kTaskTransitions) {
    const auto at = std::find(std::begin(kTriggers), std::end(kTriggers), row.trigger);
    ASSERT_NE(at, std::end(kTriggers));
    const auto column = static_cast<std::size_t>(at - std::begin(kTriggers));
    SCOPED_TRACE(std::string(to_string(row.from)) + " x " + to_string(row.trigger));
    EXPECT_EQ(letters_of(row.who), kWho.at(row.from).at(column));
    EXPECT_EQ(actors_of(row.from, row.trigger), row.who) << "of this row, not of all";
  }
  std::size_t cells = 0;
  for (const auto& [from, letters] : kWho) {
    cells += static_cast<std::size_t>(std::count_if(letters.begin(), letters.end(),
                                                    [](const auto& who) { return !who.empty(); }));
  }
  EXPECT_EQ(cells, kTaskTransitions.size());
}

TEST(TaskTransitions, where_a_trigger_does_nothing_it_is_for_whom_it_is_elsewhere) {
  EXPECT_EQ(letters_of(actors_of(S::completed, T::start)), "aA");
  EXPECT_EQ(letters_of(actors_of(S::pending, T::reopen)), "AR");
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
}  // namespace annolog::transitions_test
