// Reads of users. Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/user/view.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct UserCredentials {
  UserView user;
  std::string password_hash;    // argon2id string; empty: erased, nobody may sign in
  std::int64_t generation = 0;  // of the user's tokens
};

class UserQueries {
 public:
  explicit UserQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<UserView> find(UserId id) const;
  // By the keyed digest that keeps usernames unique (api::PersonalData::digest).
  std::optional<UserCredentials> find_credentials(std::string_view username_digest) const;
  std::optional<UserCredentials> find_credentials(UserId id) const;
  // In order of id; nullopt: every role.
  std::vector<UserView> list(std::optional<Role> role) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
