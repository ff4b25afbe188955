// Facts about data groups, of which a user is in one at most; they live in the directory shard.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"

namespace annolog {

struct GroupCreated {
  static constexpr std::string_view kType = "group.created";
  static constexpr int kVersion = 1;
  GroupId group_id;
  std::string name;
  std::string description;
  bool operator==(const GroupCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupCreated, (), (group_id, name, description))

// Only what changed is there.
struct GroupUpdated {
  static constexpr std::string_view kType = "group.updated";
  static constexpr int kVersion = 1;
  GroupId group_id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  bool operator==(const GroupUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupUpdated, (), (group_id, name, description))

// Its members are in no group from now on.
struct GroupDeleted {
  static constexpr std::string_view kType = "group.deleted";
  static constexpr int kVersion = 1;
  GroupId group_id;
  bool operator==(const GroupDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupDeleted, (), (group_id))

}  // namespace annolog
