#include "projections/users/projection.hpp"

#include "domain/codec/domain_json.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"users_insert", R"sql(
INSERT INTO users (id, role, username, username_digest, name, email, password_hash, is_active,
                   preferences, generation, version, created_at_ms, key_id)
VALUES ($1::bigint, $2::text, $3::text, $9::text, $4::text, $5::text, $6::text, true, '{}', 0, 1,
        $7::bigint, $8::text)
)sql"};

// All but a sign-in make another version.
#define UPDATE_USER(what) "UPDATE users SET version = version + 1, " what " WHERE id = $1::bigint"

constexpr Statement kRenamed{"users_renamed", UPDATE_USER("name = $2::text")};
constexpr Statement kRole{"users_role", UPDATE_USER("role = $2::text")};
constexpr Statement kDeactivated{"users_deactivated",
                                 UPDATE_USER("is_active = false, generation = $2::bigint")};
constexpr Statement kActivated{"users_activated", UPDATE_USER("is_active = true")};
constexpr Statement kGroup{"users_group", UPDATE_USER("group_id = $2::bigint")};
constexpr Statement kVersion{"users_version",
                             "UPDATE users SET version = version + 1 WHERE id = $1::bigint"};
constexpr Statement kLeaves{"users_leave_group", R"sql(
UPDATE groups g SET member_count = g.member_count - 1 FROM users u
WHERE u.id = $1::bigint AND g.id = u.group_id
)sql"};
constexpr Statement kJoins{
    "users_join_group", "UPDATE groups SET member_count = member_count + 1 WHERE id = $1::bigint"};
constexpr Statement kPreferences{"users_preferences", UPDATE_USER("preferences = $2::text")};
constexpr Statement kPassword{"users_password",
                              UPDATE_USER("password_hash = $2::text, generation = $3::bigint")};
constexpr Statement kSignedOut{"users_signed_out", UPDATE_USER("generation = $2::bigint")};
constexpr Statement kErased{"users_erased", R"sql(
UPDATE users SET username = NULL, username_digest = NULL, name = NULL, email = NULL,
  password_hash = NULL, is_active = false, is_erased = true, group_id = NULL, preferences = '{}',
  generation = generation + 1, version = version + 1, last_login_at_ms = NULL
WHERE id = $1::bigint
)sql"};
constexpr Statement kNoGroup{"users_no_group",
                             "UPDATE users SET group_id = NULL WHERE group_id = $1::bigint"};

constexpr Statement kSignedIn{"users_signed_in", R"sql(
UPDATE users t SET last_login_at_ms = u.at
FROM unnest($1::bigint[], $2::bigint[]) AS u(id, at) WHERE t.id = u.id
)sql"};

}  // namespace

std::optional<std::string> UserRows::open(UserId id, const Sealed& sealed) const {
  return *unseal_ ? (*unseal_)(id, sealed) : std::nullopt;
}

void UserRows::apply(const UserCreated& event, const Happened& how) {
  const UserId id = event.user_id;
  Params params;
  params.add(id.value).add(word_of(event.role)).add(open(id, event.username));
  params.add(open(id, event.name));
  params.add(event.email ? open(id, *event.email) : std::nullopt);
  params.add(open(id, event.password_hash)).add(how.at.ms).add(event.username.key_id);
  params.add(event.username_digest);
  changes_.add(kInsert, std::move(params));
}

void UserRows::apply(const UserSignedIn& event, const Happened& how) {
  signed_in_[event.user_id] = how.at;
}

void UserRows::apply(const UserRenamed& event, const Happened& /*how*/) {
  changes_.add(kRenamed, Params().add(event.user_id.value).add(open(event.user_id, event.name)));
}

void UserRows::apply(const UserRoleChanged& event, const Happened& /*how*/) {
  changes_.add(kRole, Params().add(event.user_id.value).add(word_of(event.new_role)));
}

void UserRows::apply(const UserDeactivated& event, const Happened& /*how*/) {
  changes_.add(kDeactivated, Params().add(event.user_id.value).add(event.generation));
}

void UserRows::apply(const UserActivated& event, const Happened& /*how*/) {
  changes_.add(kActivated, Params().add(event.user_id.value));
}

void UserRows::apply(const UserGroupChanged& event, const Happened& /*how*/) {
  changes_.add(kLeaves, Params().add(event.user_id.value));
  changes_.add(kGroup, Params().add(event.user_id.value).add(event.group_id));
  if (event.group_id) changes_.add(kJoins, Params().add(*event.group_id));
}

void UserRows::apply(const UserPreferencesChanged& event, const Happened& /*how*/) {
  changes_.add(kPreferences, Params()
                                 .add(event.user_id.value)
                                 .add(std::string_view(codec::to_json_text(event.preferences))));
}

void UserRows::apply(const UserPasswordChanged& event, const Happened& /*how*/) {
  changes_.add(kPassword, Params()
                              .add(event.user_id.value)
                              .add(open(event.user_id, event.password_hash))
                              .add(event.generation));
}

void UserRows::apply(const UserSignedOutEverywhere& event, const Happened& /*how*/) {
  changes_.add(kSignedOut, Params().add(event.user_id.value).add(event.generation));
}

void UserRows::apply(const UserOidcLinked& event, const Happened& /*how*/) {
  changes_.add(kVersion, Params().add(event.user_id.value));
}

void UserRows::apply(const UserOidcUnlinked& event, const Happened& /*how*/) {
  changes_.add(kVersion, Params().add(event.user_id.value));
}

void UserRows::apply(const UserErased& event, const Happened& /*how*/) {
  signed_in_.erase(event.user_id);
  changes_.add(kLeaves, Params().add(event.user_id.value));
  changes_.add(kErased, Params().add(event.user_id.value));
}

void UserRows::apply(const GroupDeleted& event, const Happened& /*how*/) {
  changes_.add(kNoGroup, Params().add(event.group_id.value));
}

void UserRows::take(StatementQueue& out) {
  out.append(std::move(changes_));
  if (signed_in_.empty()) return;
  Params params;
  add_column(params, PgType::int8, signed_in_, [](const auto& row) { return row.first.value; });
  add_column(params, PgType::int8, signed_in_, [](const auto& row) { return row.second.ms; });
  out.add(kSignedIn, std::move(params));
  signed_in_.clear();
}

}  // namespace annolog::projections
