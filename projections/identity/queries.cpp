#include "projections/identity/queries.hpp"

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define GROUP_COLUMNS "id, name, description, member_count, version, created_at_ms, updated_at_ms"

constexpr Statement kGroups{"groups_list", "SELECT " GROUP_COLUMNS " FROM groups ORDER BY id"};
constexpr Statement kGroup{"groups_find",
                           "SELECT " GROUP_COLUMNS " FROM groups WHERE id = $1::bigint"};

constexpr Statement kKeysOf{"api_keys_of", R"sql(
SELECT id, name, prefix, owner_id, created_at_ms, last_used_at_ms, expires_at_ms, revoked_at_ms
FROM api_keys WHERE owner_id = $1::bigint AND id < $2::bigint ORDER BY id DESC LIMIT $3::bigint
)sql"};

#define INVITATION_COLUMNS                                                        \
  "id, email, role, group_id, key_id, inviter_id, created_at_ms, expires_at_ms, " \
  "accepted_at_ms, revoked_at_ms"
// As InvitationState::status() tells it at the time $2.
#define INVITATION_STATUS                                 \
  "CASE WHEN accepted_at_ms IS NOT NULL THEN 'accepted' " \
  "WHEN revoked_at_ms IS NOT NULL THEN 'revoked' "        \
  "WHEN $2::bigint < expires_at_ms THEN 'pending' ELSE 'expired' END"

constexpr Statement kInvitation{"invitations_find", "SELECT " INVITATION_COLUMNS
                                                    " FROM invitations "
                                                    "WHERE token_digest = $1::text"};
constexpr Statement kInvitations{"invitations_list",
                                 "SELECT " INVITATION_COLUMNS
                                 " FROM invitations WHERE id < $1::bigint "
                                 "AND ($3::text IS NULL OR " INVITATION_STATUS
                                 " = $3::text) ORDER BY id DESC LIMIT $4::bigint"};
constexpr Statement kInvitationsOf{"invitations_list_of",
                                   "SELECT " INVITATION_COLUMNS
                                   " FROM invitations WHERE id < $1::bigint "
                                   "AND ($3::text IS NULL OR " INVITATION_STATUS
                                   " = $3::text) AND inviter_id = $5::bigint "
                                   "ORDER BY id DESC LIMIT $4::bigint"};

FoundInvitation read_invitation(RowReader& row) {
  FoundInvitation found;
  found.view.id = row.id<InvitationId>();
  found.view.email = row.text();
  found.view.role = row.word<Role>();
  found.group_id = row.optional_id<GroupId>();
  found.key_id = row.text();
  found.view.inviter_id = row.id<UserId>();
  found.view.created_at = row.time();
  found.view.expires_at = row.time();
  found.view.accepted_at = row.optional_time();
  found.view.revoked_at = row.optional_time();
  return found;
}

ApiKeyView read_key(RowReader& row) {
  ApiKeyView key;
  key.id = row.id<ApiKeyId>();
  key.name = row.text();
  key.prefix = row.text();
  key.owner_id = row.id<UserId>();
  key.created_at = row.time();
  key.last_used_at = row.optional_time();
  key.expires_at = row.optional_time();
  key.revoked_at = row.optional_time();
  return key;
}

GroupView read_group(RowReader& row) {
  GroupView group;
  group.id = row.id<GroupId>();
  group.name = row.text();
  group.description = row.text();
  group.member_count = row.integer();
  group.version = row.integer();
  group.created_at = row.time();
  group.updated_at = row.time();
  return group;
}

}  // namespace

std::vector<GroupView> IdentityQueries::groups() const {
  return fetch_all(*pool_, kGroups, Params{}, read_group);
}

std::optional<GroupView> IdentityQueries::group(GroupId id) const {
  return fetch_one(*pool_, kGroup, Params().add(id.value), read_group);
}

Page<ApiKeyView, ApiKeyId> IdentityQueries::api_keys_of(UserId owner, std::optional<ApiKeyId> after,
                                                        std::int64_t limit) const {
  Params params;
  params.add(owner.value).add(after.value_or(ApiKeyId{kMaxId + 1}).value).add(limit + 1);
  return make_page(fetch_all(*pool_, kKeysOf, params, read_key), limit,
                   [](const ApiKeyView& key) { return key.id; });
}

std::optional<FoundInvitation> IdentityQueries::invitation(std::string_view token_digest) const {
  return fetch_one(*pool_, kInvitation, Params().add(token_digest), read_invitation);
}

Page<FoundInvitation, InvitationId> IdentityQueries::invitations(
    std::optional<UserId> inviter, std::optional<InvitationStatus> status, Timestamp now,
    std::optional<InvitationId> after, std::int64_t limit) const {
  Params params;
  params.add(after.value_or(InvitationId{kMaxId + 1}).value).add(now.ms);
  status ? params.add(word_of(*status)) : params.add_null();
  params.add(limit + 1);
  if (inviter) params.add(inviter->value);
  return make_page(
      fetch_all(*pool_, inviter ? kInvitationsOf : kInvitations, params, read_invitation), limit,
      [](const FoundInvitation& found) { return found.view.id; });
}

std::vector<Statement> identity_statements() {
  return {kGroups, kGroup, kKeysOf, kInvitation, kInvitations, kInvitationsOf};
}

}  // namespace annolog::projections
