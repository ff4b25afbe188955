// Which log the topics of a prefix hold: a line of text in `<prefix>.log`, written once. Any
// thread. Throws LogRefused, LogUnavailable, LogCorrupted.
#pragma once

#include <optional>

#include "eventstore/event_log.hpp"
#include "eventstore/kafka/topics.hpp"

namespace annolog::eventstore::kafka {

// Nothing is made: nullopt when the topics are missing or say nothing yet.
std::optional<LogInfo> known_log(const Connection& connection, const TopicNames& names,
                                 Deadline deadline);
// For reading only: LogRefused when there is none.
LogInfo require_log(const Connection& connection, const TopicNames& names, Deadline deadline);
// For writing, the topics being there: the log that they hold, `candidate` when they held none.
LogInfo first_log(const Connection& connection, const TopicNames& names, const LogInfo& candidate,
                  Deadline deadline);

}  // namespace annolog::eventstore::kafka
