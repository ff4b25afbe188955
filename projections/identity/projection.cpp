#include "projections/identity/projection.hpp"

namespace annolog::projections {
namespace {

// Longer than any access token lives.
constexpr std::int64_t kEndedSessionMs = 24LL * 3600 * 1000;

constexpr Statement kSessionEnded{"sessions_ended", R"sql(
WITH old AS (DELETE FROM ended_sessions WHERE ended_at_ms < $3::bigint)
INSERT INTO ended_sessions (id, ended_at_ms) VALUES ($1::bigint, $2::bigint)
ON CONFLICT (id) DO NOTHING
)sql"};

constexpr Statement kKeyCreated{"api_keys_insert", R"sql(
INSERT INTO api_keys (id, owner_id, name, prefix, secret_digest, created_at_ms, expires_at_ms)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::bigint, $7::bigint)
)sql"};
constexpr Statement kKeyRevoked{
    "api_keys_revoked", "UPDATE api_keys SET revoked_at_ms = $2::bigint WHERE id = $1::bigint"};
constexpr Statement kKeyUsed{
    "api_keys_used", "UPDATE api_keys SET last_used_at_ms = $2::bigint WHERE id = $1::bigint"};

constexpr Statement kGroupCreated{"groups_insert", R"sql(
INSERT INTO groups (id, name, description, member_count, version, created_at_ms, updated_at_ms)
VALUES ($1::bigint, $2::text, $3::text, 0, 1, $4::bigint, $4::bigint)
)sql"};
constexpr Statement kGroupUpdated{"groups_update", R"sql(
UPDATE groups SET name = coalesce($2::text, name), description = coalesce($3::text, description),
  version = version + 1, updated_at_ms = $4::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kGroupDeleted{"groups_delete", "DELETE FROM groups WHERE id = $1::bigint"};

constexpr Statement kInvited{"invitations_insert", R"sql(
INSERT INTO invitations (id, email, key_id, role, group_id, token_digest, inviter_id, created_at_ms,
                         expires_at_ms)
VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::bigint, $8::bigint,
        $9::bigint)
)sql"};
constexpr Statement kResent{"invitations_resent", R"sql(
UPDATE invitations SET token_digest = $2::text, expires_at_ms = $3::bigint WHERE id = $1::bigint
)sql"};
constexpr Statement kRevoked{
    "invitations_revoked",
    "UPDATE invitations SET revoked_at_ms = $2::bigint WHERE id = $1::bigint"};
constexpr Statement kAccepted{
    "invitations_accepted",
    "UPDATE invitations SET accepted_at_ms = $2::bigint WHERE id = $1::bigint"};
constexpr Statement kAddressErased{
    "invitations_erased", "UPDATE invitations SET email = NULL WHERE key_id = ANY ($1::text[])"};

std::optional<std::int64_t> number_of(const std::optional<Timestamp>& time) {
  return time ? std::optional(time->ms) : std::nullopt;
}

}  // namespace

void IdentityRows::apply(const SessionEnded& event, const Happened& how) {
  changes_.add(
      kSessionEnded,
      Params().add(event.session_id.value).add(how.at.ms).add(how.at.ms - kEndedSessionMs));
}

void IdentityRows::apply(const ApiKeyCreated& event, const Happened& how) {
  changes_.add(kKeyCreated, Params()
                                .add(event.key_id.value)
                                .add(event.owner_id.value)
                                .add(event.name)
                                .add(event.prefix)
                                .add(event.secret_digest)
                                .add(how.at.ms)
                                .add(number_of(event.expires_at)));
}

void IdentityRows::apply(const ApiKeyRevoked& event, const Happened& how) {
  changes_.add(kKeyRevoked, Params().add(event.key_id.value).add(how.at.ms));
}

void IdentityRows::apply(const ApiKeyUsed& event, const Happened& how) {
  changes_.add(kKeyUsed, Params().add(event.key_id.value).add(how.at.ms));
}

void IdentityRows::apply(const GroupCreated& event, const Happened& how) {
  changes_.add(
      kGroupCreated,
      Params().add(event.group_id.value).add(event.name).add(event.description).add(how.at.ms));
}

void IdentityRows::apply(const GroupUpdated& event, const Happened& how) {
  changes_.add(
      kGroupUpdated,
      Params().add(event.group_id.value).add(event.name).add(event.description).add(how.at.ms));
}

void IdentityRows::apply(const GroupDeleted& event, const Happened& /*how*/) {
  changes_.add(kGroupDeleted, Params().add(event.group_id.value));
}

void IdentityRows::apply(const InvitationCreated& event, const Happened& how) {
  changes_.add(kInvited, Params()
                             .add(event.invitation_id.value)
                             .add((*unseal_)(UserId{}, event.email))
                             .add(event.email.key_id)
                             .add(word_of(event.role))
                             .add(event.group_id)
                             .add(event.token_digest)
                             .add(event.inviter_id.value)
                             .add(how.at.ms)
                             .add(event.expires_at.ms));
}

void IdentityRows::apply(const InvitationResent& event, const Happened& /*how*/) {
  changes_.add(
      kResent,
      Params().add(event.invitation_id.value).add(event.token_digest).add(event.expires_at.ms));
}

void IdentityRows::apply(const InvitationRevoked& event, const Happened& how) {
  changes_.add(kRevoked, Params().add(event.invitation_id.value).add(how.at.ms));
}

void IdentityRows::apply(const InvitationAccepted& event, const Happened& how) {
  changes_.add(kAccepted, Params().add(event.invitation_id.value).add(how.at.ms));
}

void IdentityRows::apply(const UserErased& event, const Happened& /*how*/) {
  Params params;
  {
    ArrayParam keys(params, PgType::text);
    for (const auto& key : event.key_ids) keys.add(key);
  }
  changes_.add(kAddressErased, std::move(params));
}

}  // namespace annolog::projections
