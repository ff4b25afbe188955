// How a user is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

// Beside an id wherever a person is named. Empty texts: the person was erased.
struct UserBrief {
  UserId id;
  std::string name;
  std::string username;
  bool operator==(const UserBrief&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserBrief, (), (id, name, username))

struct UserView {
  UserId id;
  std::string username;
  std::string name;
  std::optional<std::string> email;
  Role role = Role::viewer;
  std::optional<GroupId> group_id;
  std::optional<std::string> group_name;
  bool is_active = true;
  std::optional<Timestamp> last_login_at;
  JsonText preferences{"{}"};
  std::int64_t version = 0;
  Timestamp created_at;
  bool operator==(const UserView&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserView, (),
                      (id, username, name, email, role, group_id, group_name, is_active,
                       last_login_at, preferences, version, created_at))

}  // namespace annolog
