// What an invitation's token is known by, and how the invitation is shown.
#pragma once

#include <string>
#include <string_view>

#include "api/services.hpp"
#include "domain/invitation/view.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "projections/identity/queries.hpp"

namespace annolog::api {

inline std::string invitation_digest(std::string_view token) {
  return platform::to_base64url(platform::as_bytes_view(platform::sha256(token)));
}

inline InvitationView shown(const Services& services, const projections::FoundInvitation& found,
                            Timestamp now) {
  InvitationView view = found.view;
  InvitationState state;
  state.expires_at = view.expires_at;
  state.accepted_at = view.accepted_at;
  state.revoked_at = view.revoked_at;
  view.status = state.status(now);
  view.group_name = services.directory.group_name(found.group_id);
  return view;
}

}  // namespace annolog::api
