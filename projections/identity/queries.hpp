// Reads of groups, API keys and invitations. Any thread, blocking, errors as in
// queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/api_key/view.hpp"
#include "domain/group/view.hpp"
#include "domain/invitation/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct FoundInvitation {
  InvitationView view;  // without the group's name, and its status not judged yet
  std::optional<GroupId> group_id;
  std::string key_id;  // under which the address is sealed
};

class IdentityQueries {
 public:
  explicit IdentityQueries(ReadPool& pool) : pool_(&pool) {}

  std::vector<GroupView> groups() const;  // in order of id
  std::optional<GroupView> group(GroupId id) const;
  // Newest first.
  Page<ApiKeyView, ApiKeyId> api_keys_of(UserId owner, std::optional<ApiKeyId> after,
                                         std::int64_t limit) const;

  std::optional<FoundInvitation> invitation(std::string_view token_digest) const;
  // Newest first (id descending); nullopt: every inviter, every status.
  Page<FoundInvitation, InvitationId> invitations(std::optional<UserId> inviter,
                                                  std::optional<InvitationStatus> status,
                                                  Timestamp now, std::optional<InvitationId> after,
                                                  std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
