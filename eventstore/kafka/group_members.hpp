// Who is in a consumer group, by the word of its coordinator.
#pragma once

#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

// The ids of all members, also of those that are joining; none of a group that nobody has heard of,
// or whose coordinator is just starting. Throws LogUnavailable.
std::vector<std::string> members_of(const Client& client, const std::string& group,
                                    Deadline deadline);

// This client's own; empty while it is no member.
std::string own_id(const Client& client);

}  // namespace annolog::eventstore::kafka
