// Reads of users. Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/identity/view.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct UserCredentials {
  UserView user;
  std::string password_hash;  // argon2id string; empty: erased, nobody may sign in
};

class UserQueries {
 public:
  explicit UserQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<UserView> find(UserId id) const;
  // Without regard to case (ASCII and what PostgreSQL's lower() knows).
  std::optional<UserCredentials> find_credentials(std::string_view username) const;
  // In order of id; nullopt: every role.
  std::vector<UserView> list(std::optional<Role> role) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
