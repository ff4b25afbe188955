// Users: who may change what of whom, and the last super_admin.
#include "domain/user/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::user_test {
namespace {

CreateUser user_wish() {
  CreateUser command;
  command.role = Role::annotator;
  command.username = {"k1", "aaaa"};
  command.name = {"k1", "bbbb"};
  command.password_hash = {"k1", "cccc"};
  command.username_digest = "digest";
  return command;
}

TEST(Users, are_created_by_super_admins_and_the_service_itself) {
  const UserCreated expected{.user_id = UserId{9},
                             .role = Role::annotator,
                             .username = {"k1", "aaaa"},
                             .name = {"k1", "bbbb"},
                             .email = std::nullopt,
                             .password_hash = {"k1", "cccc"},
                             .username_digest = "digest",
                             .email_digest = std::nullopt};
  Outcome(decide(user_wish(), as(kRoot), Taken{}, UserId{9})).then({expected});
  Outcome(decide(user_wish(), as(kSystemUser), Taken{}, UserId{9})).then({expected});
  Outcome(decide(user_wish(), as(kAdmin), Taken{}, UserId{9})).then_fails("FORBIDDEN");
}

TEST(Users, usernames_and_addresses_are_unique) {
  Outcome(decide(user_wish(), as(kRoot), Taken{true, false}, UserId{9}))
      .then_fails("USERNAME_TAKEN");
  Outcome(decide(user_wish(), as(kRoot), Taken{false, true}, UserId{9})).then_fails("EMAIL_TAKEN");
}

TEST(Users, remember_when_they_came_and_last_signed_in) {
  UserCreated created;
  created.user_id = UserId{9};
  created.role = Role::reviewer;
  created.username = {"key", "sealed name"};
  UserState user = born(created, {kRoot, Timestamp{1000}});
  EXPECT_EQ(user.role, Role::reviewer);
  EXPECT_EQ(user.username, created.username);
  EXPECT_EQ(user.created_at, Timestamp{1000});
  EXPECT_EQ(user.last_login_at, std::nullopt);
  evolve(user, UserSignedIn{UserId{9}}, {UserId{9}, Timestamp{2000}});
  EXPECT_EQ(user.created_at, Timestamp{1000});
  EXPECT_EQ(user.last_login_at, Timestamp{2000});
}

// --- what others may do ---

constexpr UserId kUser{9};

UserCase somebody(Role role = Role::annotator) {
  UserCase on;
  on.user.id = kUser;
  on.user.role = role;
  return on;
}

UserCase gone() { return {}; }

UserCase erased() {
  UserCase on = somebody();
  on.user.erased = true;
  on.user.active = false;
  return on;
}

template <class Command>
Outcome by(UserId who, const UserCase& on, const Command& command) {
  return Outcome(decide(on, command, as(who)));
}

TEST(Users, others_are_changed_by_super_admins_only) {
  for (const UserId who : {kAdmin, kReviewer, kAnnotator, kViewer}) {
    by(who, somebody(), ChangeUserRole{kUser, {}, Role::viewer}).then_fails("FORBIDDEN");
    by(who, somebody(), DeactivateUser{kUser}).then_fails("FORBIDDEN");
    by(who, somebody(), ActivateUser{kUser}).then_fails("FORBIDDEN");
    by(who, somebody(), ChangeUserGroup{kUser, {}, std::nullopt}).then_fails("FORBIDDEN");
    by(who, somebody(), EraseUser{kUser, "asked"}).then_fails("FORBIDDEN");
  }
}

TEST(Users, those_who_are_not_there_or_erased_are_not_found) {
  for (const UserCase& on : {gone(), erased()}) {
    by(kRoot, on, ChangeUserRole{kUser, {}, Role::viewer}).then_fails("NOT_FOUND");
    by(kRoot, on, DeactivateUser{kUser}).then_fails("NOT_FOUND");
    by(kRoot, on, ActivateUser{kUser}).then_fails("NOT_FOUND");
    by(kSystemUser, on, ResetPassword{kUser, {"k", "s"}}).then_fails("NOT_FOUND");
  }
  by(kRoot, gone(), EraseUser{kUser, "asked"}).then_fails("NOT_FOUND");
}

TEST(Users, a_role_changes_once) {
  by(kRoot, somebody(), ChangeUserRole{kUser, {}, Role::reviewer})
      .then({UserRoleChanged{kUser, Role::annotator, Role::reviewer}});
  by(kRoot, somebody(), ChangeUserRole{kUser, {}, Role::annotator}).then_nothing();
}

TEST(Users, the_last_super_admin_stays_one) {
  UserCase last = somebody(Role::super_admin);
  last.is_last_admin = true;
  by(kRoot, last, ChangeUserRole{kUser, {}, Role::viewer}).then_fails("LAST_SUPER_ADMIN");
  by(kRoot, last, DeactivateUser{kUser}).then_fails("LAST_SUPER_ADMIN");
  by(kRoot, last, EraseUser{kUser, "asked"}).then_fails("LAST_SUPER_ADMIN");
  by(kRoot, last, ChangeUserRole{kUser, {}, Role::super_admin}).then_nothing();
}

TEST(Users, deactivation_voids_all_tokens) {
  UserCase on = somebody();
  on.user.generation = 4;
  by(kRoot, on, DeactivateUser{kUser}).then({UserDeactivated{kUser, 5}});
  on.user.active = false;
  by(kRoot, on, DeactivateUser{kUser}).then_nothing();
  by(kRoot, on, ActivateUser{kUser}).then({UserActivated{kUser}});
  on.email_taken = true;
  by(kRoot, on, ActivateUser{kUser}).then_fails("EMAIL_TAKEN");
}

TEST(Users, are_put_into_groups_that_exist) {
  UserCase on = somebody();
  by(kRoot, on, ChangeUserGroup{kUser, {}, GroupId{3}}).then_invalid({"unknown_group"});
  on.group_exists = true;
  by(kRoot, on, ChangeUserGroup{kUser, {}, GroupId{3}}).then({UserGroupChanged{kUser, GroupId{3}}});
  on.user.group_id = GroupId{3};
  by(kRoot, on, ChangeUserGroup{kUser, {}, GroupId{3}}).then_nothing();
  by(kRoot, on, ChangeUserGroup{kUser, {}, std::nullopt})
      .then({UserGroupChanged{kUser, std::nullopt}});
}

TEST(Users, erasure_names_all_keys_and_a_reason) {
  UserCase on = somebody();
  on.keys = {"k1", "k2"};
  by(kRoot, on, EraseUser{kUser, " asked for it "})
      .then({UserErased{kUser, {"k1", "k2"}, "asked for it"}});
  UserCase invited = on;
  invited.invitations = {InvitationId{7}};
  by(kRoot, invited, EraseUser{kUser, "asked"})
      .then({InvitationRevoked{InvitationId{7}, Revocation::revoked},
             UserErased{kUser, {"k1", "k2"}, "asked"}});
  by(kRoot, on, EraseUser{kUser, "  "}).then_invalid({"length"});
  by(kRoot, on, EraseUser{kUser, std::string(501, 'x')}).then_invalid({"length"});
  by(kRoot, erased(), EraseUser{kUser, "again"}).then_nothing();
}

TEST(Users, nothing_personal_is_left_of_an_erased_one) {
  UserState user = somebody().user;
  user.username = {"k1", "sealed"};
  user.email = Sealed{"k1", "sealed"};
  user.username_digest = "digest";
  user.email_digest = "digest";
  user.oidc_digest = "digest";
  user.preferences = {{"theme", {"\"dark\""}}};
  evolve(user, UserErased{kUser, {"k1"}, "asked"}, {kRoot, kNow});
  UserState rest;
  rest.id = kUser;
  rest.role = Role::annotator;
  rest.active = false;
  rest.erased = true;
  rest.generation = 1;
  rest.version = 1;
  rest.erased_keys = {"k1"};
  EXPECT_EQ(user, rest);
}

TEST(Users, are_parted_from_the_providers_account_by_a_super_admin) {
  UserCase on = somebody();
  by(kRoot, on, UnlinkOidc{kUser}).then_nothing();
  on.user.oidc_digest = "subject";
  by(kUser, on, UnlinkOidc{kUser}).then_fails("FORBIDDEN");
  by(kRoot, UserCase{}, UnlinkOidc{kUser}).then_fails("NOT_FOUND");
  by(kRoot, on, UnlinkOidc{kUser}).then({UserOidcUnlinked{kUser}});
  evolve(on.user, UserOidcUnlinked{kUser}, {kRoot, kNow});
  EXPECT_EQ(on.user.oidc_digest, std::nullopt);
}

TEST(Users, are_changed_by_the_version_that_was_seen) {
  UserCase on = somebody();
  on.user.version = 4;
  const ExpectedVersion old{{3}};
  by(kRoot, on, ChangeUserRole{kUser, old, Role::viewer}).then_fails("VERSION_MISMATCH");
  by(kRoot, on, ChangeUserGroup{kUser, old, std::nullopt}).then_fails("VERSION_MISMATCH");
  by(kUser, on, RenameUser{kUser, old, {"k", "s"}}).then_fails("VERSION_MISMATCH");
  by(kUser, on, ChangePreferences{kUser, old, {{"zoom", {"3"}}}}).then_fails("VERSION_MISMATCH");
  const UserRoleChanged changed{kUser, Role::annotator, Role::viewer};
  by(kRoot, on, ChangeUserRole{kUser, ExpectedVersion{{3, 4}}, Role::viewer}).then({changed});
  evolve(on.user, changed, {kRoot, kNow});
  EXPECT_EQ(on.user.version, 5);
  evolve(on.user, UserSignedIn{kUser}, {kUser, kNow});
  EXPECT_EQ(on.user.version, 5);
}

// --- one's own account ---

TEST(Users, change_their_own_name_and_nobody_elses) {
  by(kUser, somebody(), RenameUser{kUser, {}, {"k", "s"}}).then({UserRenamed{kUser, {"k", "s"}}});
  by(kRoot, somebody(), RenameUser{kUser, {}, {"k", "s"}}).then_fails("NOT_FOUND");
  UserCase away = somebody();
  away.user.active = false;
  by(kUser, away, RenameUser{kUser, {}, {"k", "s"}}).then_fails("NOT_FOUND");
}

TEST(Users, preferences_are_merged_by_their_top_level_names) {
  UserCase on = somebody();
  on.user.preferences = {{"theme", {"\"dark\""}}, {"zoom", {"2"}}};
  by(kUser, on, ChangePreferences{kUser, {}, {{"zoom", {"null"}}, {"grid", {"true"}}}})
      .then({UserPreferencesChanged{kUser, {{"grid", {"true"}}, {"theme", {"\"dark\""}}}}});
  by(kUser, on, ChangePreferences{kUser, {}, {{"zoom", {"2"}}, {"none", {"null"}}}}).then_nothing();
  by(kOther, on, ChangePreferences{kUser, {}, {{"zoom", {"3"}}}}).then_fails("NOT_FOUND");
}

TEST(Users, preferences_have_64_KiB_at_most) {
  UserCase on = somebody();
  on.user.preferences = {{"a", {'"' + std::string(40'000, 'x') + '"'}}};
  const JsonText more{'"' + std::string(30'000, 'x') + '"'};
  by(kUser, on, ChangePreferences{kUser, {}, {{"b", more}}}).then_invalid({"length"});
  by(kUser, on, ChangePreferences{kUser, {}, {{"a", more}}})
      .then({UserPreferencesChanged{kUser, {{"a", more}}}});
}

TEST(Users, a_password_is_reset_by_the_operator_alone) {
  by(kSystemUser, somebody(), ResetPassword{kUser, {"k", "s"}})
      .then({UserPasswordChanged{kUser, {"k", "s"}, 1}});
  by(kRoot, somebody(), ResetPassword{kUser, {"k", "s"}}).then_fails("FORBIDDEN");
}

}  // namespace
}  // namespace annolog::testing::user_test
