#include "projections/users/queries.hpp"

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define USER_COLUMNS                                                             \
  "id, username, name, email, role, group_id, is_active, preferences, version, " \
  "last_login_at_ms, created_at_ms"

constexpr Statement kFind{"users_find", "SELECT " USER_COLUMNS " FROM users WHERE id = $1::bigint"};
constexpr Statement kFindCredentials{"users_find_credentials",
                                     "SELECT " USER_COLUMNS
                                     ", password_hash, generation FROM users "
                                     "WHERE username_digest = $1::text"};
constexpr Statement kCredentialsOf{"users_credentials_of",
                                   "SELECT " USER_COLUMNS
                                   ", password_hash, generation FROM users WHERE id = $1::bigint"};
constexpr Statement kList{"users_list", "SELECT " USER_COLUMNS " FROM users ORDER BY id"};
constexpr Statement kListByRole{
    "users_list_by_role", "SELECT " USER_COLUMNS " FROM users WHERE role = $1::text ORDER BY id"};

UserView read_user(RowReader& row) {
  UserView user;
  user.id = row.id<UserId>();
  user.username = row.text();
  user.name = row.text();
  user.email = row.optional_text();
  user.role = row.word<Role>();
  user.group_id = row.optional_id<GroupId>();
  user.is_active = row.boolean();
  user.preferences = JsonText{row.text()};
  user.version = row.integer();
  user.last_login_at = row.optional_time();
  user.created_at = row.time();
  return user;
}

UserCredentials read_credentials(RowReader& row) {
  UserCredentials credentials{read_user(row), {}, 0};
  credentials.password_hash = row.text();
  credentials.generation = row.integer();
  return credentials;
}

}  // namespace

std::optional<UserView> UserQueries::find(UserId id) const {
  return fetch_one(*pool_, kFind, Params().add(id.value), read_user);
}

std::optional<UserCredentials> UserQueries::find_credentials(
    std::string_view username_digest) const {
  return fetch_one(*pool_, kFindCredentials, Params().add(username_digest), read_credentials);
}

std::optional<UserCredentials> UserQueries::find_credentials(UserId id) const {
  return fetch_one(*pool_, kCredentialsOf, Params().add(id.value), read_credentials);
}

std::vector<UserView> UserQueries::list(std::optional<Role> role) const {
  if (!role) return fetch_all(*pool_, kList, Params{}, read_user);
  return fetch_all(*pool_, kListByRole, Params().add(word_of(*role)), read_user);
}

std::vector<Statement> user_statements() {
  return {kFind, kFindCredentials, kCredentialsOf, kList, kListByRole};
}

}  // namespace annolog::projections
