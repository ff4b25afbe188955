// Unique names: reserved, then confirmed or released.
#include "domain/naming/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::naming_test {
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

TEST(Naming, the_name_of_a_bearer_that_is_gone_is_freed_once) {
  const FreeName free{NameKind::project, 3};
  Outcome(decide(NameCase{.holder = {}, .pending = {}, .borne = BorneName{0, "a"}}, free))
      .then({NameFreed{NameKind::project, 0, 3, "a"}});
  Outcome(decide(NameCase{}, free)).then_nothing();
}

TEST(Naming, a_change_under_way_is_settled_before_the_name_is_freed) {
  const NameCase on{.holder = 3, .pending = reserved(3, "b", true), .borne = BorneName{0, "a"}};
  Outcome(decide(on, FreeName{NameKind::project, 3})).then_fails("RENAME_PENDING");
}

}  // namespace
}  // namespace annolog::testing::naming_test
