// Unique names: reserved, then confirmed or released; users are unique by username and e-mail.
#include "domain/identity/commands.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing {
namespace {

NameReserved reserved(std::int64_t holder, const std::string& name, bool rename) {
  return {NameKind::project, 0, holder, name, rename, {}};
}

Outcome reserve(const NameCase& on, std::int64_t holder, const std::string& name,
                UserId user = kOwner) {
  return Outcome(decide(on, ReserveName{NameKind::project, 0, holder, name, {}}, as(user), 9));
}

TEST(Naming, a_free_name_is_reserved_for_the_next_id) {
  reserve({}, 0, "a").then({reserved(9, "a", false)});
  reserve({}, 3, "a").then({reserved(3, "a", true)});
}

TEST(Naming, creating_needs_a_global_project_admin) {
  for (const UserId user : {kReviewer, kAnnotator, kViewer}) {
    reserve({}, 0, "a", user).then_fails("FORBIDDEN");
  }
  reserve({}, 0, "a", kRoot).then({reserved(9, "a", false)});
}

TEST(Naming, a_name_in_use_is_refused) {
  reserve({.holder = 5, .pending = {}}, 0, "a").then_fails("NAME_TAKEN");
  reserve({.holder = 5, .pending = {}}, 3, "a").then_fails("NAME_TAKEN");
}

TEST(Naming, ones_own_name_is_held_while_the_change_is_made) {
  reserve({.holder = 3, .pending = {}}, 3, "a").then({reserved(3, "a", true)});
}

TEST(Naming, one_change_of_a_name_at_a_time) {
  reserve({.holder = {}, .pending = reserved(3, "b", true)}, 3, "a").then_fails("RENAME_PENDING");
  reserve({.holder = 3, .pending = reserved(3, "b", true)}, 3, "b").then_fails("RENAME_PENDING");
  reserve({.holder = 3, .pending = reserved(3, "b", true)}, 3, "a").then_fails("RENAME_PENDING");
}

TEST(Naming, confirming_and_releasing_settle_what_is_pending_once) {
  const NameCase pending{.holder = 3, .pending = reserved(3, "b", true)};
  Outcome(decide(pending, ConfirmName{NameKind::project, 3, "b"}))
      .then({NameConfirmed{NameKind::project, 0, 3, "b"}});
  Outcome(decide(pending, ReleaseName{NameKind::project, 3, "b"}))
      .then({NameReleased{NameKind::project, 0, 3, "b"}});
  Outcome(decide(NameCase{}, ConfirmName{NameKind::project, 3, "b"})).then_nothing();
  Outcome(decide(NameCase{}, ReleaseName{NameKind::project, 3, "b"})).then_nothing();
}

TEST(Naming, a_step_that_speaks_of_another_name_settles_nothing) {
  const NameCase pending{.holder = 3, .pending = reserved(3, "b", true)};
  Outcome(decide(pending, ConfirmName{NameKind::project, 3, "a"})).then_nothing();
  Outcome(decide(pending, ReleaseName{NameKind::project, 3, "a"})).then_nothing();
}

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

TEST(Users, sign_in_needs_an_active_user) {
  const SignInUser command{UserId{9}};
  UserState user;
  user.id = UserId{9};
  Outcome(decide(user, command)).then({UserSignedIn{UserId{9}}});
  user.active = false;
  Outcome(decide(user, command)).then_fails("NOT_FOUND");
  Outcome(decide(UserState{}, command)).then_fails("NOT_FOUND");
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

}  // namespace
}  // namespace annolog::testing
