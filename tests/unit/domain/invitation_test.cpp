// Invitations: who may invite whom, how often, and how they end.
#include "domain/invitation/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::invitation_test {
namespace {

Timestamp before(std::int64_t ms) { return {kNow.ms - ms}; }

constexpr InvitationId kInvitation{70};
constexpr UserId kNewUser{99};
constexpr std::int64_t kMostPerDay = 3;

Invite wish(Role role = Role::annotator, std::optional<std::string> group = std::nullopt) {
  return {{"k1", "sealed"}, "digest", role, std::move(group), "token", kMostPerDay};
}

InvitationCreated created(UserId inviter, Role role = Role::annotator,
                          std::optional<GroupId> group = std::nullopt) {
  return {.invitation_id = kInvitation,
          .email = {"k1", "sealed"},
          .email_digest = "digest",
          .role = role,
          .group_id = group,
          .token_digest = "token",
          .inviter_id = inviter,
          .expires_at = kNow + kInvitationMs};
}

InviteCase free_to() {
  InviteCase on;
  on.next_id = kInvitation;
  return on;
}

Outcome invite(UserId who, const Invite& command, const InviteCase& on = free_to()) {
  return Outcome(decide(on, command, as(who)));
}

TEST(Invitations, project_admins_invite_those_below_them_and_super_admins_anybody) {
  for (const Role role : {Role::viewer, Role::annotator, Role::reviewer}) {
    invite(kAdmin, wish(role)).then({created(kAdmin, role)});
    invite(kRoot, wish(role)).then({created(kRoot, role)});
    for (const UserId who : {kReviewer, kAnnotator, kViewer})
      invite(who, wish(role)).then_fails("FORBIDDEN");
  }
  for (const Role role : {Role::project_admin, Role::super_admin}) {
    invite(kAdmin, wish(role)).then_fails("FORBIDDEN");
    invite(kRoot, wish(role)).then({created(kRoot, role)});
  }
}

TEST(Invitations, a_group_is_given_by_its_name) {
  invite(kRoot, wish(Role::viewer, "East")).then_invalid({"unknown_group"});
  InviteCase on = free_to();
  on.group_id = GroupId{3};
  invite(kRoot, wish(Role::viewer, "East"), on).then({created(kRoot, Role::viewer, GroupId{3})});
}

TEST(Invitations, an_active_user_is_not_invited) {
  InviteCase on = free_to();
  on.email_taken = true;
  invite(kRoot, wish(), on).then_fails("EMAIL_TAKEN");
}

TEST(Invitations, a_newer_one_voids_the_older) {
  InviteCase on = free_to();
  on.pending = {InvitationId{5}, InvitationId{6}};
  invite(kRoot, wish(), on)
      .then({InvitationRevoked{InvitationId{5}, Revocation::superseded},
             InvitationRevoked{InvitationId{6}, Revocation::superseded}, created(kRoot)});
}

TEST(Invitations, so_many_a_day_and_the_next_when_the_oldest_is_a_day_old) {
  InviteCase on = free_to();
  on.lately = {before(23LL * 3600 * 1000), before(1000), before(500)};
  const Outcome refused = invite(kRoot, wish(), on);
  refused.then_fails("INVITATION_LIMIT_REACHED");
  EXPECT_EQ(refused.result().error().retry_after_s, 3600);
  on.lately.pop_back();
  invite(kRoot, wish(), on).then({created(kRoot)});
}

InvitationState pending(UserId inviter = kAdmin) { return born(created(inviter), {inviter, kNow}); }

TEST(Invitations, have_a_status_of_their_own) {
  InvitationState state = pending();
  EXPECT_EQ(state.status(kNow), InvitationStatus::pending);
  EXPECT_EQ(state.status(kNow + kInvitationMs), InvitationStatus::expired);
  InvitationState revoked = state;
  evolve(revoked, InvitationRevoked{kInvitation, Revocation::revoked}, {kAdmin, kNow});
  EXPECT_EQ(revoked.status(kNow), InvitationStatus::revoked);
  evolve(state, InvitationAccepted{kInvitation, kNewUser}, {kSystemUser, kNow});
  EXPECT_EQ(state.status(kNow + kInvitationMs), InvitationStatus::accepted);
}

TEST(Invitations, are_revoked_while_they_are_pending) {
  const RevokeInvitation command{kInvitation};
  Outcome(decide(pending(), command, as(kAdmin)))
      .then({InvitationRevoked{kInvitation, Revocation::revoked}});
  Outcome(decide(pending(), command, as(kRoot)))
      .then({InvitationRevoked{kInvitation, Revocation::revoked}});
  Outcome(decide(pending(), command, as(kStranger))).then_fails("NOT_FOUND");
  Outcome(decide(pending(), command, as(kAdmin, kNow + kInvitationMs)))
      .then_fails("INVITATION_NOT_PENDING");
}

Outcome resend(const ResendCase& on, Timestamp at = kNow) {
  return Outcome(decide(on, ResendInvitation{kInvitation, "other"}, as(kAdmin, at)));
}

TEST(Invitations, are_sent_again_with_a_new_token) {
  const Timestamp late = kNow + 2 * kInvitationMs;
  resend({pending()}).then({InvitationResent{kInvitation, "other", kNow + kInvitationMs}});
  resend({pending()}, late).then({InvitationResent{kInvitation, "other", late + kInvitationMs}});
  ResendCase over{pending()};
  evolve(over.invitation, InvitationAccepted{kInvitation, kNewUser}, {kSystemUser, kNow});
  resend(over).then_fails("INVITATION_GONE");
}

TEST(Invitations, are_not_sent_again_beside_a_user_or_a_newer_one) {
  resend({pending(), true, false}).then_fails("EMAIL_TAKEN");
  resend({pending(), false, true}).then_fails("INVITATION_SUPERSEDED");
}

AcceptInvitation acceptance() {
  return {"token", {"k1", "sealed"}, {"k1", "name"}, {"k1", "hash"}, "digest"};
}

AcceptCase accepting(InvitationState invitation) {
  AcceptCase on;
  on.invitation = std::move(invitation);
  on.inviter.id = on.invitation.inviter_id;
  on.inviter.role = Role::project_admin;
  on.next_user_id = kNewUser;
  return on;
}

TEST(Invitations, make_a_user_of_who_accepts) {
  const UserCreated user{.user_id = kNewUser,
                         .role = Role::annotator,
                         .username = {"k1", "sealed"},
                         .name = {"k1", "name"},
                         .email = Sealed{"k1", "sealed"},
                         .password_hash = {"k1", "hash"},
                         .username_digest = "digest",
                         .email_digest = "digest"};
  Outcome(decide(accepting(pending()), acceptance(), as(kSystemUser)))
      .then({user, InvitationAccepted{kInvitation, kNewUser}});
  AcceptCase grouped = accepting(pending());
  grouped.invitation.group_id = GroupId{3};
  Outcome(decide(grouped, acceptance(), as(kSystemUser)))
      .then({user, InvitationAccepted{kInvitation, kNewUser}});
  grouped.group_exists = true;
  Outcome(decide(grouped, acceptance(), as(kSystemUser)))
      .then({user, UserGroupChanged{kNewUser, GroupId{3}},
             InvitationAccepted{kInvitation, kNewUser}});
}

TEST(Invitations, stand_as_long_as_the_inviter_could_make_them) {
  const auto accept = [](const AcceptCase& on) {
    return Outcome(decide(on, acceptance(), as(kSystemUser)));
  };
  AcceptCase on = accepting(pending());
  on.inviter.active = false;
  accept(on).then_fails("INVITATION_GONE");
  on = accepting(pending());
  on.inviter.role = Role::reviewer;
  accept(on).then_fails("INVITATION_GONE");
  on = accepting(born(created(kRoot, Role::super_admin), {kRoot, kNow}));
  accept(on).then_fails("INVITATION_GONE");
  on.inviter.role = Role::super_admin;
  EXPECT_TRUE(accept(on).result());
  on = accepting(pending(kSystemUser));
  on.inviter = {};
  EXPECT_TRUE(accept(on).result());
}

TEST(Invitations, are_accepted_once_and_in_time) {
  Outcome(decide(AcceptCase{}, acceptance(), as(kSystemUser))).then_fails("NOT_FOUND");
  Outcome(decide(accepting(pending()), acceptance(), as(kSystemUser, kNow + kInvitationMs)))
      .then_fails("INVITATION_GONE");
  InvitationState used = pending();
  evolve(used, InvitationAccepted{kInvitation, kNewUser}, {kSystemUser, kNow});
  Outcome(decide(accepting(used), acceptance(), as(kSystemUser))).then_fails("INVITATION_GONE");
  AcceptCase taken = accepting(pending());
  taken.taken.email = true;
  Outcome(decide(taken, acceptance(), as(kSystemUser))).then_fails("EMAIL_TAKEN");
}

}  // namespace
}  // namespace annolog::testing::invitation_test
