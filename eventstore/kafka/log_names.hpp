// What a log says of itself in its topic `<prefix>.log`: a few names, each given once by whichever
// node comes first and the same for ever after. Any thread.
#pragma once

#include <string>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

// The value that the name has; `candidate` when it had none. Nodes that come at the same time get
// the same answer: the topic is written under one transactional id, and only the last to take it
// can commit. Throws LogUnavailable.
std::string first_value(const Connection& connection, const std::string& topic,
                        const std::string& name, const std::string& candidate, Deadline deadline);
// Empty when the name has none.
std::string known_value(const Connection& connection, const std::string& topic,
                        const std::string& name, Deadline deadline);

}  // namespace annolog::eventstore::kafka
