// The permission table, against a second one typed from decisions, section 2.
#include <gtest/gtest.h>

#include <set>

#include "domain/identity/permissions.hpp"

namespace annolog::permissions_test {
namespace {

struct Row {
  Action action;
  bool viewer, annotator, reviewer, project_admin, owner, super_admin;
};

// As a member with that project role and as high a global role as a member may have.
constexpr Row kTable[] = {
    {Action::read_project, true, true, true, true, true, true},
    {Action::annotate, false, true, true, true, true, true},
    {Action::review, false, false, true, true, true, true},
    {Action::administer, false, false, false, true, true, true},
    {Action::export_project, false, false, false, true, true, true},
    {Action::own, false, false, false, false, true, true},
    {Action::govern, false, false, false, false, false, true},
};

constexpr Role kAllRoles[] = {Role::viewer, Role::annotator, Role::reviewer, Role::project_admin,
                              Role::super_admin};

bool member_may(Role role, Action action) {
  return Standing{Role::project_admin, role, false}.may(action);
}

TEST(Permissions, every_action_in_a_project_by_every_role) {
  for (const auto& row : kTable) {
    const auto action = static_cast<int>(row.action);
    EXPECT_EQ(member_may(Role::viewer, row.action), row.viewer) << action;
    EXPECT_EQ(member_may(Role::annotator, row.action), row.annotator) << action;
    EXPECT_EQ(member_may(Role::reviewer, row.action), row.reviewer) << action;
    EXPECT_EQ(member_may(Role::project_admin, row.action), row.project_admin) << action;
    EXPECT_EQ((Standing{Role::project_admin, std::nullopt, true}.may(row.action)), row.owner)
        << action;
    EXPECT_EQ((Standing{Role::super_admin, std::nullopt, false}.may(row.action)), row.super_admin)
        << action;
    EXPECT_FALSE((Standing{Role::project_admin, std::nullopt, false}.may(row.action))) << action;
  }
}

TEST(Permissions, a_member_acts_with_the_lower_of_both_roles) {
  for (const Role global : kAllRoles) {
    for (const Role membership : kAllRoles) {
      if (membership == Role::super_admin) continue;  // no project role
      const auto lower = global == Role::super_admin ? global : std::min(global, membership);
      EXPECT_EQ((Standing{global, membership, false}.effective_role()), lower);
    }
  }
}

TEST(Permissions, an_owner_never_acts_above_the_global_role) {
  const Standing demoted{Role::annotator, std::nullopt, true};
  EXPECT_EQ(demoted.effective_role(), Role::annotator);
  EXPECT_FALSE(demoted.may(Action::own));
  EXPECT_TRUE(demoted.may(Action::annotate));
}

TEST(Permissions, only_members_owners_and_super_admins_see_a_project) {
  for (const Role global : kAllRoles) {
    EXPECT_EQ((Standing{global, std::nullopt, false}.visible()), global == Role::super_admin);
    EXPECT_TRUE((Standing{global, Role::viewer, false}.visible()));
    EXPECT_TRUE((Standing{global, std::nullopt, true}.visible()));
  }
}

TEST(Permissions, actions_outside_projects_by_global_role) {
  const std::set<Action> for_admins{Action::create_projects, Action::list_users};
  for (const Role role : kAllRoles) {
    for (const Action action : for_admins) {
      EXPECT_EQ(may_globally(role, action), role >= Role::project_admin);
    }
    EXPECT_EQ(may_globally(role, Action::govern), role == Role::super_admin);
    EXPECT_TRUE(may_globally(role, Action::use_account));
  }
}

TEST(Permissions, every_action_has_one_row) {
  std::set<Action> seen;
  for (const auto& row : kPermissions) EXPECT_TRUE(seen.insert(row.action).second);
  EXPECT_EQ(seen.size(), 11U);
  for (const Action action : seen) EXPECT_EQ(requirement_of(action).action, action);
}

TEST(Permissions, role_names_read_back) {
  for (const Role role : kAllRoles) EXPECT_EQ(role_from_string(to_string(role)), role);
  EXPECT_EQ(role_from_string("Viewer"), std::nullopt);
  EXPECT_EQ(role_from_string(""), std::nullopt);
}

}  // namespace
}  // namespace annolog::permissions_test
