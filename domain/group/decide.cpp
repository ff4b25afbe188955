#include "domain/group/commands.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/case_fold.hpp"
#include "domain/support/length.hpp"
#include "domain/support/patch.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxGroupName = 100;
constexpr std::size_t kMaxGroupDescription = 10'000;

Result<void> check(const std::optional<std::string>& name,
                   const std::optional<std::string>& description) {
  std::vector<FieldError> errors;
  if (name) check_length(*name, 1, kMaxGroupName, "name", errors);
  if (description) check_length(*description, 0, kMaxGroupDescription, "description", errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<void> require_govern(const Context& context) {
  if (!may_globally(context.role, Action::govern)) return forbidden(Action::govern);
  return success();
}

Result<void> require_there(const GroupState& group, const ExpectedVersion& expected) {
  if (group.version == 0) return not_found("group");
  if (!matches(expected, group.version)) return version_mismatch(group.version);
  return success();
}

DomainError name_taken() { return conflict("NAME_TAKEN", "A group with this name exists."); }

}  // namespace

std::string group_name_key(const std::string& name) { return case_folded(trimmed(name)); }

Result<Events> decide(const GroupCase& on, const CreateGroup& command, const Context& context,
                      GroupId next_id) {
  BOOST_OUTCOME_TRY(require_govern(context));
  BOOST_OUTCOME_TRY(check(command.name, command.description));
  if (on.name_taken) return name_taken();
  return Events{GroupCreated{next_id, command.name, command.description}};
}

Result<Events> decide(const GroupCase& on, const UpdateGroup& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(context));
  BOOST_OUTCOME_TRY(require_there(on.group, command.expected_version));
  BOOST_OUTCOME_TRY(check(command.name, command.description));
  if (on.name_taken) return name_taken();
  GroupUpdated event{command.group_id, command.name, command.description};
  if (event.name == on.group.name) event.name.reset();
  if (event.description == on.group.description) event.description.reset();
  if (!event.name && !event.description) return Events{};
  return Events{std::move(event)};
}

Result<Events> decide(const GroupCase& on, const DeleteGroup& command, const Context& context) {
  BOOST_OUTCOME_TRY(require_govern(context));
  BOOST_OUTCOME_TRY(require_there(on.group, command.expected_version));
  return Events{GroupDeleted{command.group_id}};
}

GroupState born(const GroupCreated& event, const Happened& how) {
  return {.id = event.group_id,
          .name = event.name,
          .description = event.description,
          .version = 1,
          .created_at = how.at,
          .updated_at = how.at};
}

void evolve(GroupState& state, const GroupUpdated& event, const Happened& how) {
  set_if(state.name, event.name);
  set_if(state.description, event.description);
  touch(state, how);
}

}  // namespace annolog
