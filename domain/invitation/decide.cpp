#include "domain/identity/refusals.hpp"
#include "domain/invitation/commands.hpp"

namespace annolog {
namespace {

// A project_admin invites those who are below it; a super_admin anybody.
Result<void> require_may_invite(Role role, Role inviter) {
  if (!may_globally(inviter, Action::invite_users)) return forbidden(Action::invite_users);
  if (inviter != Role::super_admin && role >= Role::project_admin) return forbidden(Action::govern);
  return success();
}

// Who has left, or may no more what they did, has no more guests.
bool still_stands(const InvitationState& invitation, const UserState& inviter) {
  return invitation.inviter_id == kSystemUser ||
         (inviter.active && !inviter.erased &&
          require_may_invite(invitation.role, inviter.role).has_value());
}

// Others' invitations are a super_admin's affair; of them it is not said that they exist.
Result<void> require_own(const InvitationState& invitation, const Context& context) {
  const bool may =
      invitation.inviter_id == context.actor || may_globally(context.role, Action::govern);
  if (!invitation.id || !may) return not_found("invitation");
  return success();
}

DomainError email_taken() { return conflict("EMAIL_TAKEN", "A user has this e-mail address."); }

Result<void> check_daily(const InviteCase& on, std::int64_t most, Timestamp now) {
  const auto count = static_cast<std::int64_t>(on.lately.size());
  if (count < most) return success();
  const Timestamp leaves = most > 0 ? on.lately[static_cast<std::size_t>(count - most)] : now;
  const std::int64_t wait_ms = leaves.ms + kInvitationDayMs - now.ms;
  return DomainError{DomainError::Kind::limited,
                     "INVITATION_LIMIT_REACHED",
                     "No more than " + std::to_string(most) + " invitations a day.",
                     {{"limit", most}},
                     {},
                     static_cast<int>((wait_ms + 999) / 1000)};
}

}  // namespace

InvitationStatus InvitationState::status(Timestamp now) const {
  if (accepted_at) return InvitationStatus::accepted;
  if (revoked_at) return InvitationStatus::revoked;
  return now < expires_at ? InvitationStatus::pending : InvitationStatus::expired;
}

Result<void> require_pending(InvitationId id, InvitationStatus status) {
  if (!id) return not_found("invitation");
  if (status == InvitationStatus::pending) return success();
  const char* const why = status == InvitationStatus::accepted  ? "accepted"
                          : status == InvitationStatus::expired ? "expired"
                                                                : "revoked";
  return DomainError{DomainError::Kind::gone,
                     "INVITATION_GONE",
                     std::string("The invitation is ") + why + ".",
                     {{"status", std::string(why)}},
                     {},
                     0};
}

Result<Events> decide(const InviteCase& on, const Invite& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_may_invite(command.role, context.role));
  if (command.group_name && !on.group_id)
    return validation_error({{{"group_name"}, "No group has this name.", "unknown_group"}});
  if (on.email_taken) return email_taken();
  BOOST_OUTCOME_TRY(check_daily(on, command.most_per_day, context.now));
  Events events;
  for (const InvitationId older : on.pending)
    events.emplace_back(InvitationRevoked{older, Revocation::superseded});
  events.emplace_back(InvitationCreated{.invitation_id = on.next_id,
                                        .email = command.email,
                                        .email_digest = command.email_digest,
                                        .role = command.role,
                                        .group_id = on.group_id,
                                        .token_digest = command.token_digest,
                                        .inviter_id = context.actor,
                                        .expires_at = context.now + kInvitationMs});
  return events;
}

Result<Events> decide(const ResendCase& on, const ResendInvitation& command,
                      const Context& context) {
  const InvitationState& invitation = on.invitation;
  BOOST_OUTCOME_TRY(require_own(invitation, context));
  BOOST_OUTCOME_TRY(require_may_invite(invitation.role, context.role));
  // One that has expired may be sent again: that is what this is for.
  if (invitation.status(context.now) != InvitationStatus::expired) {
    BOOST_OUTCOME_TRY(require_pending(invitation.id, invitation.status(context.now)));
  }
  if (on.email_taken) return email_taken();
  if (on.newer_pending)
    return conflict("INVITATION_SUPERSEDED", "A newer invitation to this address is pending.");
  return Events{InvitationResent{invitation.id, command.token_digest, context.now + kInvitationMs}};
}

Result<Events> decide(const InvitationState& invitation, const RevokeInvitation& /*command*/,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_own(invitation, context));
  if (invitation.status(context.now) != InvitationStatus::pending)
    return conflict("INVITATION_NOT_PENDING", "Only a pending invitation can be revoked.");
  return Events{InvitationRevoked{invitation.id, Revocation::revoked}};
}

Result<Events> decide(const AcceptCase& on, const AcceptInvitation& command,
                      const Context& context) {
  const InvitationState& invitation = on.invitation;
  BOOST_OUTCOME_TRY(require_pending(invitation.id, invitation.status(context.now)));
  if (invitation.email_digest != command.email_digest) return not_found("invitation");
  if (!still_stands(invitation, on.inviter))
    return require_pending(invitation.id, InvitationStatus::revoked).error();
  if (on.taken.username || on.taken.email) return email_taken();
  Events events{UserCreated{.user_id = on.next_user_id,
                            .role = invitation.role,
                            .username = command.email,
                            .name = command.name,
                            .email = command.email,
                            .password_hash = command.password_hash,
                            .username_digest = command.email_digest,
                            .email_digest = command.email_digest}};
  if (invitation.group_id && on.group_exists)
    events.emplace_back(UserGroupChanged{on.next_user_id, invitation.group_id});
  events.emplace_back(InvitationAccepted{invitation.id, on.next_user_id});
  return events;
}

InvitationState born(const InvitationCreated& event, const Happened& how) {
  InvitationState state;
  state.id = event.invitation_id;
  state.email = event.email;
  state.email_digest = event.email_digest;
  state.role = event.role;
  state.group_id = event.group_id;
  state.token_digest = event.token_digest;
  state.inviter_id = event.inviter_id;
  state.created_at = how.at;
  state.expires_at = event.expires_at;
  return state;
}

void evolve(InvitationState& state, const InvitationResent& event, const Happened& /*how*/) {
  state.token_digest = event.token_digest;
  state.expires_at = event.expires_at;
}

void evolve(InvitationState& state, const InvitationRevoked& /*event*/, const Happened& how) {
  state.revoked_at = how.at;
}

void evolve(InvitationState& state, const InvitationAccepted& /*event*/, const Happened& how) {
  state.accepted_at = how.at;
}

}  // namespace annolog
