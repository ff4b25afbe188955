#include "projections/users/projection.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"users_insert", R"sql(
INSERT INTO users (id, role, username, username_lower, name, email, password_hash, created_at_ms)
VALUES ($1::bigint, $2::text, $3::text, lower($3::text), $4::text, $5::text, $6::text, $7::bigint)
)sql"};

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
  params.add(open(id, event.password_hash)).add(how.at.ms);
  created_.add(kInsert, std::move(params));
}

void UserRows::apply(const UserSignedIn& event, const Happened& how) {
  signed_in_[event.user_id] = how.at;
}

void UserRows::take(StatementQueue& out) {
  out.append(std::move(created_));
  if (signed_in_.empty()) return;
  Params params;
  add_column(params, PgType::int8, signed_in_, [](const auto& row) { return row.first.value; });
  add_column(params, PgType::int8, signed_in_, [](const auto& row) { return row.second.ms; });
  out.add(kSignedIn, std::move(params));
  signed_in_.clear();
}

}  // namespace annolog::projections
