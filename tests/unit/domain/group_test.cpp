// Data groups: by super_admins, names unique without regard to case.
#include "domain/group/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::group_test {
namespace {

constexpr GroupId kGroup{60};

GroupCase there() { return {born(GroupCreated{kGroup, "East", "all east"}, {kRoot, kNow}), false}; }

TEST(Groups, are_seen_to_by_super_admins_only) {
  for (const UserId who : {kAdmin, kReviewer, kAnnotator, kViewer}) {
    Outcome(decide(GroupCase{}, CreateGroup{"East", ""}, as(who), kGroup)).then_fails("FORBIDDEN");
    Outcome(decide(there(), UpdateGroup{kGroup, {}, "West", {}}, as(who))).then_fails("FORBIDDEN");
    Outcome(decide(there(), DeleteGroup{kGroup, {}}, as(who))).then_fails("FORBIDDEN");
  }
}

TEST(Groups, have_names_of_their_own) {
  Outcome(decide(GroupCase{}, CreateGroup{"East", "all east"}, as(kRoot), kGroup))
      .then({GroupCreated{kGroup, "East", "all east"}});
  Outcome(decide(GroupCase{{}, true}, CreateGroup{"East", ""}, as(kRoot), kGroup))
      .then_fails("NAME_TAKEN");
  Outcome(decide(GroupCase{}, CreateGroup{"", ""}, as(kRoot), kGroup)).then_invalid({"length"});
  EXPECT_EQ(group_name_key(" East "), group_name_key("eAST"));
  EXPECT_EQ(group_name_key("\u00D6sten"), group_name_key("\u00F6STEN"));
  EXPECT_NE(group_name_key("\u00D6sten"), group_name_key("Osten"));
}

TEST(Groups, only_what_changes_is_told) {
  Outcome(decide(there(), UpdateGroup{kGroup, {}, "West", "all east"}, as(kRoot)))
      .then({GroupUpdated{kGroup, "West", std::nullopt}});
  Outcome(decide(there(), UpdateGroup{kGroup, {}, "East", std::nullopt}, as(kRoot))).then_nothing();
  GroupCase taken = there();
  taken.name_taken = true;
  Outcome(decide(taken, UpdateGroup{kGroup, {}, "West", {}}, as(kRoot))).then_fails("NAME_TAKEN");
}

TEST(Groups, honour_the_version_that_was_seen) {
  Outcome(decide(there(), UpdateGroup{kGroup, {{2}}, "West", {}}, as(kRoot)))
      .then_fails("VERSION_MISMATCH");
  Outcome(decide(there(), DeleteGroup{kGroup, {{2}}}, as(kRoot))).then_fails("VERSION_MISMATCH");
  Outcome(decide(there(), DeleteGroup{kGroup, {{1}}}, as(kRoot))).then({GroupDeleted{kGroup}});
  Outcome(decide(GroupCase{}, DeleteGroup{kGroup, {}}, as(kRoot))).then_fails("NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::group_test
