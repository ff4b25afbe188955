// Wishes about invitations, and what may come of them (spec, "Users, groups, invitations").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"
#include "domain/user/commands.hpp"

namespace annolog {

inline constexpr std::int64_t kInvitationMs = 7LL * 24 * 3600 * 1000;
inline constexpr std::int64_t kInvitationDayMs = 24LL * 3600 * 1000;  // of the daily limit

struct Invite {
  Sealed email;
  std::string email_digest;
  Role role = Role::viewer;
  std::optional<std::string> group_name;
  std::string token_digest;
  std::int64_t most_per_day = 0;  // by one inviter
};
BOOST_DESCRIBE_STRUCT(Invite, (),
                      (email, email_digest, role, group_name, token_digest, most_per_day))

struct ResendInvitation {
  InvitationId invitation_id;
  std::string token_digest;
};
BOOST_DESCRIBE_STRUCT(ResendInvitation, (), (invitation_id, token_digest))

struct RevokeInvitation {
  InvitationId invitation_id;
};
BOOST_DESCRIBE_STRUCT(RevokeInvitation, (), (invitation_id))

// Whoever holds the token becomes a user, whose username is the address. By the service itself.
struct AcceptInvitation {
  std::string token_digest;
  Sealed email;  // under the invitation's key, as the rest
  Sealed name;
  Sealed password_hash;
  std::string email_digest;  // the invitation's
};
BOOST_DESCRIBE_STRUCT(AcceptInvitation, (),
                      (token_digest, email, name, password_hash, email_digest))

enum class InvitationStatus : std::uint8_t { pending, accepted, expired, revoked };
BOOST_DESCRIBE_ENUM(InvitationStatus, pending, accepted, expired, revoked)

struct InvitationState {
  InvitationId id;  // 0: does not exist
  Sealed email;
  std::string email_digest;
  Role role = Role::viewer;
  std::optional<GroupId> group_id;
  std::string token_digest;
  UserId inviter_id;
  Timestamp created_at;
  Timestamp expires_at;
  std::optional<Timestamp> accepted_at;
  std::optional<Timestamp> revoked_at;
  bool operator==(const InvitationState&) const = default;

  InvitationStatus status(Timestamp now) const;
};
BOOST_DESCRIBE_STRUCT(InvitationState, (),
                      (id, email, email_digest, role, group_id, token_digest, inviter_id,
                       created_at, expires_at, accepted_at, revoked_at))

// What the directory knows when somebody invites.
struct InviteCase {
  InvitationId next_id;
  bool email_taken = false;           // by an active user, or as somebody's username
  std::optional<GroupId> group_id;    // that bears the name that was given
  std::vector<InvitationId> pending;  // older ones to the same address
  std::vector<Timestamp> lately;      // the inviter's of the last 24 hours, oldest first
};

struct ResendCase {
  InvitationState invitation;
  bool email_taken = false;
  bool newer_pending = false;  // another invitation to the same address
};

struct AcceptCase {
  InvitationState invitation;
  UserState inviter;  // as it is now
  Taken taken;
  bool group_exists = false;  // the invitation's
  UserId next_user_id;
};

Result<Events> decide(const InviteCase& on, const Invite& command, const Context& context);
Result<Events> decide(const ResendCase& on, const ResendInvitation& command,
                      const Context& context);
Result<Events> decide(const InvitationState& invitation, const RevokeInvitation& command,
                      const Context& context);
Result<Events> decide(const AcceptCase& on, const AcceptInvitation& command,
                      const Context& context);

// 404 for one that does not exist, 410 for one that is over.
Result<void> require_pending(InvitationId id, InvitationStatus status);

InvitationState born(const InvitationCreated& event, const Happened& how);
void evolve(InvitationState& state, const InvitationResent& event, const Happened& how);
void evolve(InvitationState& state, const InvitationRevoked& event, const Happened& how);
void evolve(InvitationState& state, const InvitationAccepted& event, const Happened& how);

}  // namespace annolog
