// Wishes about groups, by super_admins, and what may come of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/expected_version.hpp"
#include "domain/support/result.hpp"

namespace annolog {

struct CreateGroup {
  std::string name;  // trimmed
  std::string description;
};
BOOST_DESCRIBE_STRUCT(CreateGroup, (), (name, description))

struct UpdateGroup {
  GroupId group_id;
  ExpectedVersion expected_version;
  std::optional<std::string> name;  // trimmed
  std::optional<std::string> description;
};
BOOST_DESCRIBE_STRUCT(UpdateGroup, (), (group_id, expected_version, name, description))

struct DeleteGroup {
  GroupId group_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteGroup, (), (group_id, expected_version))

struct GroupState {
  GroupId id;
  std::string name;
  std::string description;
  std::int64_t version = 0;  // 0: does not exist
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const GroupState&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupState, (), (id, name, description, version, created_at, updated_at))

// What names are compared by.
std::string group_name_key(const std::string& name);

struct GroupCase {
  GroupState group;
  bool name_taken = false;  // by another group, of the name that the command wishes for
};

Result<Events> decide(const GroupCase& on, const CreateGroup& command, const Context& context,
                      GroupId next_id);
Result<Events> decide(const GroupCase& on, const UpdateGroup& command, const Context& context);
Result<Events> decide(const GroupCase& on, const DeleteGroup& command, const Context& context);

GroupState born(const GroupCreated& event, const Happened& how);
void evolve(GroupState& state, const GroupUpdated& event, const Happened& how);

}  // namespace annolog
