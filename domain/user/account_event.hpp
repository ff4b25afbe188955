// What a person is told about the own account: who did what to it, and when.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"
#include "domain/user/view.hpp"

namespace annolog {

// Nothing personal: it is kept as it is when somebody is erased.
struct AccountEventDetail {
  std::optional<Role> role{};      // after it
  std::optional<Role> old_role{};  // before it
  std::optional<GroupId> group_id{};
  std::optional<std::string> prefix{};  // of an API key
  std::optional<std::string> format{};  // of an export
  std::optional<std::string> reason{};
  static constexpr std::array<std::string_view, 6> kOmitWhenEmpty{"role",   "old_role", "group_id",
                                                                  "prefix", "format",   "reason"};
  bool operator==(const AccountEventDetail&) const = default;
};
BOOST_DESCRIBE_STRUCT(AccountEventDetail, (), (role, old_role, group_id, prefix, format, reason))

struct AccountEventView {
  std::int64_t id = 0;
  std::string action;              // "user.change_role", …
  std::optional<UserBrief> actor;  // null: the service itself, or its operator
  std::string target_type;
  std::int64_t target_id = 0;
  AccountEventDetail detail;
  Timestamp created_at;
  bool operator==(const AccountEventView&) const = default;
};
BOOST_DESCRIBE_STRUCT(AccountEventView, (),
                      (id, action, actor, target_type, target_id, detail, created_at))

}  // namespace annolog
