// Another owner, and the end of a project.
#include "domain/project/removal.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::project_ownership_test {
namespace {

TransferProject transfer_to(UserId user, std::optional<Role> global_role = Role::project_admin) {
  return {kProject, user, global_role};
}

DeleteProject deletion(ExpectedVersion version = std::nullopt) { return {kProject, version}; }

TEST(Transfer, the_old_owner_stays_as_project_admin) {
  given(project_with_members())
      .when(transfer_to(kStranger), kRoot)
      .then({ProjectMemberAdded{kProject, kOwner, Role::project_admin},
             ProjectTransferred{kProject, kOwner, kStranger}});
}

TEST(Transfer, an_old_owner_who_is_a_member_already_becomes_project_admin) {
  auto past = project_with_members();
  past.emplace_back(Event{ProjectMemberAdded{kProject, kOwner, Role::viewer}});
  given(past)
      .when(transfer_to(kStranger, Role::super_admin), kRoot)
      .then({ProjectMemberRoleChanged{kProject, kOwner, Role::viewer, Role::project_admin},
             ProjectTransferred{kProject, kOwner, kStranger}});
  past.back() = Past(Event{ProjectMemberAdded{kProject, kOwner, Role::project_admin}});
  given(past)
      .when(transfer_to(kStranger), kRoot)
      .then({ProjectTransferred{kProject, kOwner, kStranger}});
}

TEST(Transfer, the_new_owners_membership_neither_helps_nor_hinders) {
  auto past = project_with_members();
  past.emplace_back(Event{ProjectMemberAdded{kProject, kStranger, Role::viewer}});
  past.emplace_back(Event{ProjectTransferred{kProject, kOwner, kStranger}}, kRoot);
  const auto on = given(past);
  EXPECT_TRUE(on.world.project.standing(as(kStranger)).may(Action::own));
  EXPECT_FALSE(on.world.project.standing(as(kOwner)).visible());
  EXPECT_EQ(on.world.project.members.at(kStranger).role, Role::viewer);
  EXPECT_EQ(on.world.project.version, 2);
}

TEST(Transfer, the_old_owner_is_never_shut_out) {
  auto on = given(project_with_members());
  const auto outcome = on.when(transfer_to(kStranger), kRoot);
  for (const Event& event : outcome.result().value()) {
    on.world.happened(event, {kRoot, kNow});
    EXPECT_TRUE(on.world.project.standing(as(kOwner)).may(Action::administer));
  }
}

TEST(Transfer, to_the_owner_itself_changes_nothing) {
  given(project_with_members()).when(transfer_to(kOwner), kRoot).then_nothing();
  given(project_with_members()).when(transfer_to(kOwner, std::nullopt), kRoot).then_nothing();
}

TEST(Transfer, the_new_owner_must_be_somebody_who_may_own) {
  given(project_with_members())
      .when(transfer_to(kStranger, std::nullopt), kRoot)
      .then_invalid({"unknown_user"});
  for (const Role role : {Role::viewer, Role::annotator, Role::reviewer}) {
    const auto outcome = given(project_with_members()).when(transfer_to(kReviewer, role), kRoot);
    outcome.then_invalid({"role_too_low"});
    EXPECT_EQ(outcome.result().error().errors.at(0).loc, Location{"new_owner_id"});
  }
}

TEST(Transfer, is_for_super_admins) {
  for (const UserId user : {kOwner, kAdmin, kReviewer, kAnnotator, kViewer}) {
    given(project_with_members()).when(transfer_to(kStranger), user).then_fails("FORBIDDEN");
  }
  given(project_with_members()).when(transfer_to(kStranger), kStranger).then_fails("NOT_FOUND");
  given({}).when(transfer_to(kStranger), kRoot).then_fails("NOT_FOUND");
}

TEST(Transfer, a_project_without_an_owners_account_gets_no_member) {
  auto created = created_project();
  created.owner_id = kSystemUser;
  given({Event{created}})
      .when(transfer_to(kStranger), kRoot)
      .then({ProjectTransferred{kProject, kSystemUser, kStranger}});
}

TEST(ProjectEnd, without_tasks_it_is_deleted) {
  given(project_with_members()).when(deletion(), kRoot).then({ProjectDeleted{kProject}});
}

TEST(ProjectEnd, tasks_are_removed_first) {
  auto on = given(project_with_members());
  on.world.task_count = 3;
  const auto outcome = on.when(deletion(), kRoot);
  outcome.then_fails("PROJECT_HAS_TASKS");
  const auto& detail = outcome.result().error().detail;
  ASSERT_EQ(detail.size(), 1U);
  EXPECT_EQ(detail[0].first, "task_count");
  EXPECT_EQ(detail[0].second, DomainError::Value(std::int64_t{3}));
}

TEST(ProjectEnd, the_version_that_was_seen_counts) {
  given(project_with_members()).when(deletion({{2}}), kRoot).then_fails("VERSION_MISMATCH");
  given(project_with_members()).when(deletion({{1}}), kRoot).then({ProjectDeleted{kProject}});
}

TEST(ProjectEnd, is_for_super_admins) {
  for (const UserId user : {kOwner, kAdmin, kReviewer, kAnnotator, kViewer}) {
    given(project_with_members()).when(deletion(), user).then_fails("FORBIDDEN");
  }
  given(project_with_members()).when(deletion(), kStranger).then_fails("NOT_FOUND");
}

TEST(ProjectEnd, afterwards_there_is_no_project_for_anybody) {
  auto past = project_with_members();
  past.emplace_back(Event{ProjectDeleted{kProject}}, kRoot);
  given(past).when(deletion(), kRoot).then_fails("NOT_FOUND");
  given(past).when(CheckLinkAllowed{kProject, kDataset}, kOwner).then_fails("NOT_FOUND");
  given(past).when(RenameClass{kProject, "car", "van"}, kRoot).then_fails("NOT_FOUND");
  given(past).when(transfer_to(kStranger), kRoot).then_fails("NOT_FOUND");
}

TEST(ProjectEnd, its_id_is_never_used_again) {
  auto past = project_with_members();
  past.emplace_back(Event{ProjectDeleted{kProject}}, kRoot);
  CreateProject again;
  again.project_id = kProject;
  again.name = "Streets";
  again.owner_id = kOwner;
  given(past).when(again).then_fails("NOT_FOUND");
}

TEST(ProjectEnd, what_is_left_elsewhere_is_finished_once) {
  Outcome(decide(true, FinishRemoval{kProject, {}}))
      .then({ProjectRemovalFinished{kProject, std::nullopt}});
  Outcome(decide(true, FinishRemoval{kProject, GuideAssetId{5}}))
      .then({ProjectRemovalFinished{kProject, GuideAssetId{5}}});
  Outcome(decide(false, FinishRemoval{kProject, {}})).then_nothing();
}

TEST(ProjectEnd, a_link_is_forgotten_once) {
  auto on = given({Event{DatasetCreated{kDataset, "Photos", "", DataType::image, kOwner}},
                   Event{DatasetLinked{kDataset, kProject}}});
  Outcome(decide(on.world.dataset, ForgetLink{kDataset, kProject}))
      .then({DatasetUnlinked{kDataset, kProject}});
  on.world.happened(DatasetUnlinked{kDataset, kProject}, {kSystemUser, kNow});
  EXPECT_TRUE(on.world.dataset.links.empty());
  EXPECT_EQ(on.world.dataset.version, 3);
  Outcome(decide(on.world.dataset, ForgetLink{kDataset, kProject})).then_nothing();
}

}  // namespace
}  // namespace annolog::testing::project_ownership_test
