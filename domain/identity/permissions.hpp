// Who may do what: the permission table of decisions, section 2, as data. Routes name an Action;
// the decider and the edge both ask this table, so that they can't differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/describe/enum.hpp>

namespace annolog {

// Ordered: a higher role may do all that a lower one may.
enum class Role : std::uint8_t { viewer, annotator, reviewer, project_admin, super_admin };
BOOST_DESCRIBE_ENUM(Role, viewer, annotator, reviewer, project_admin, super_admin)

enum class Action : std::uint8_t {
  read_project,     // project, batches, tasks, annotations, predictions, video assets
  annotate,         // next, lock, annotate, accept or reject a shape, prompt, comment
  review,           // approve, reject, edit annotations of a task in review
  administer,       // settings, classes, members, batches, links, backends, imports
  export_project,   // exports
  own,              // reverse batch moves, reset, bulk actions, distribute
  govern,           // transfer, delete, users, analytics, audit log: super_admin
  create_projects,  // projects, datasets, ML registrations: global role, no project
  list_users,       // GET /users, /groups
  invite_users,     // invitations, of those below; super_admin: of all
  use_account,      // anything an active user may do with itself
};
BOOST_DESCRIBE_ENUM(Action, read_project, annotate, review, administer, export_project, own, govern,
                    create_projects, list_users, invite_users, use_account)

// What an action asks for. `owner` means the project's owner or any super_admin.
struct Requirement {
  Action action;
  Role least_role;
  bool owner;
  bool in_project;  // judged by the effective project role, else by the global role
};

inline constexpr std::array<Requirement, 11> kPermissions{{
    {Action::read_project, Role::viewer, false, true},
    {Action::annotate, Role::annotator, false, true},
    {Action::review, Role::reviewer, false, true},
    {Action::administer, Role::project_admin, false, true},
    {Action::export_project, Role::project_admin, false, true},
    {Action::own, Role::project_admin, true, true},
    {Action::govern, Role::super_admin, false, false},
    {Action::create_projects, Role::project_admin, false, false},
    {Action::list_users, Role::project_admin, false, false},
    {Action::invite_users, Role::project_admin, false, false},
    {Action::use_account, Role::viewer, false, false},
}};

const Requirement& requirement_of(Action action);

// A caller's standing in one project.
struct Standing {
  Role global_role = Role::viewer;
  std::optional<Role> membership;  // absent: not a member
  bool is_owner = false;           // owner_id of the project

  // Lower of global role and membership; super_admin is above all, an owner is project_admin.
  // nullopt: the project is not visible to the caller.
  std::optional<Role> effective_role() const;
  bool visible() const { return effective_role().has_value(); }
  bool may(Action action) const;
};

// For actions outside projects.
bool may_globally(Role global_role, Action action);

std::string_view to_string(Role role);
std::optional<Role> role_from_string(std::string_view text);

}  // namespace annolog
