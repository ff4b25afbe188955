// How a group is shown.
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct GroupView {
  GroupId id;
  std::string name;
  std::string description;
  std::int64_t member_count = 0;
  std::int64_t version = 0;
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const GroupView&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupView, (),
                      (id, name, description, member_count, version, created_at, updated_at))

}  // namespace annolog
