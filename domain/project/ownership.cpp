// Whose a project is, and its end: for those who govern the service.
#include "domain/identity/refusals.hpp"
#include "domain/project/commands.hpp"

namespace annolog {
namespace {

Result<void> check_new_owner(const std::optional<Role>& global_role) {
  if (!global_role) {
    return validation_error({{{"new_owner_id"}, "No active user has this id.", "unknown_user"}});
  }
  if (*global_role < Role::project_admin) {
    return validation_error(
        {{{"new_owner_id"},
          "The user's global role must be project_admin or super_admin; it is " +
              std::string(to_string(*global_role)) + ".",
          "role_too_low"}});
  }
  return success();
}

}  // namespace

// Who owned it goes on as project_admin, whatever it was a member as before; so before it is
// somebody else's, that nobody who looks in between finds the old owner shut out.
Result<Events> decide(const ProjectState& state, const TransferProject& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::govern, context));
  const UserId old_owner = state.owner_id;
  if (old_owner == command.new_owner_id) return Events{};
  BOOST_OUTCOME_TRY(check_new_owner(command.global_role));
  const ProjectTransferred transferred{state.id, old_owner, command.new_owner_id};
  if (old_owner == kSystemUser) return Events{transferred};  // nobody's account
  Events events;
  const auto member = state.members.find(old_owner);
  if (member == state.members.end()) {
    events.emplace_back(ProjectMemberAdded{state.id, old_owner, Role::project_admin});
  } else if (member->second.role != Role::project_admin) {
    events.emplace_back(
        ProjectMemberRoleChanged{state.id, old_owner, member->second.role, Role::project_admin});
  }
  events.emplace_back(transferred);
  return events;
}

Result<Events> decide(const ProjectState& state, const DeleteProject& command,
                      const Context& context, std::int64_t task_count) {
  BOOST_OUTCOME_TRY(state.require(Action::govern, context));
  if (!matches(command.expected_version, state.version)) return version_mismatch(state.version);
  if (task_count > 0) {
    return conflict(
        "PROJECT_HAS_TASKS",
        "The project has " + std::to_string(task_count) + " tasks; unlink its datasets first.",
        {{"task_count", task_count}});
  }
  return Events{ProjectDeleted{state.id}};
}

}  // namespace annolog
