// Where a log ends, once this process can read all that lies before.
#pragma once

#include <chrono>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

// latest_end() of the shard, after waiting until end() has reached it: of a log that is elsewhere a
// process hears later than the store knows. Blocks `longest` at most. Throws LogUnavailable. Any
// thread.
Offset readable_end(const EventLog& log, ShardId shard, std::chrono::milliseconds longest);

}  // namespace annolog::eventstore
