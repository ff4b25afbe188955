#include "domain/identity/permissions.hpp"

#include <algorithm>

namespace annolog {
namespace {

constexpr std::array<std::string_view, 5> kRoleNames{"viewer", "annotator", "reviewer",
                                                     "project_admin", "super_admin"};

}  // namespace

const Requirement& requirement_of(Action action) {
  return *std::find_if(kPermissions.begin(), kPermissions.end(),
                       [&](const Requirement& row) { return row.action == action; });
}

std::optional<Role> Standing::effective_role() const {
  if (global_role == Role::super_admin) return Role::super_admin;
  const auto granted = is_owner ? std::optional{Role::project_admin} : membership;
  if (!granted) return std::nullopt;
  return std::min(*granted, global_role);
}

bool Standing::may(Action action) const {
  const auto& needs = requirement_of(action);
  const auto role = effective_role();
  if (!role) return false;
  if (!needs.in_project) return may_globally(global_role, action);
  if (needs.owner && !is_owner && *role != Role::super_admin) return false;
  return *role >= needs.least_role;
}

bool may_globally(Role global_role, Action action) {
  return global_role >= requirement_of(action).least_role;
}

std::string_view to_string(Role role) { return kRoleNames.at(static_cast<std::size_t>(role)); }

std::optional<Role> role_from_string(std::string_view text) {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames.at(i) == text) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace annolog
