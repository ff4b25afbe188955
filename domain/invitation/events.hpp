// Facts about invitations; they live in the directory shard. The address is sealed under a key of
// its own, which becomes the person's key when the invitation is accepted. Of tokens only digests
// are kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/identity/sealed.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct InvitationCreated {
  static constexpr std::string_view kType = "invitation.created";
  static constexpr int kVersion = 1;
  InvitationId invitation_id;
  Sealed email;
  std::string email_digest;
  Role role = Role::viewer;
  std::optional<GroupId> group_id;
  std::string token_digest;
  UserId inviter_id;
  Timestamp expires_at;
  bool operator==(const InvitationCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(InvitationCreated, (),
                      (invitation_id, email, email_digest, role, group_id, token_digest, inviter_id,
                       expires_at))

// With a new token: the one before is void.
struct InvitationResent {
  static constexpr std::string_view kType = "invitation.resent";
  static constexpr int kVersion = 1;
  InvitationId invitation_id;
  std::string token_digest;
  Timestamp expires_at;
  bool operator==(const InvitationResent&) const = default;
};
BOOST_DESCRIBE_STRUCT(InvitationResent, (), (invitation_id, token_digest, expires_at))

// `superseded`: a newer invitation went to the same address.
enum class Revocation : std::uint8_t { revoked, superseded };
BOOST_DESCRIBE_ENUM(Revocation, revoked, superseded)

struct InvitationRevoked {
  static constexpr std::string_view kType = "invitation.revoked";
  static constexpr int kVersion = 1;
  InvitationId invitation_id;
  Revocation why = Revocation::revoked;
  bool operator==(const InvitationRevoked&) const = default;
};
BOOST_DESCRIBE_STRUCT(InvitationRevoked, (), (invitation_id, why))

struct InvitationAccepted {
  static constexpr std::string_view kType = "invitation.accepted";
  static constexpr int kVersion = 1;
  InvitationId invitation_id;
  UserId user_id;
  bool operator==(const InvitationAccepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(InvitationAccepted, (), (invitation_id, user_id))

}  // namespace annolog
