// The backfills that a shard's state shows as running: what its new owner takes up.
#pragma once

#include <vector>

#include "domain/support/ids.hpp"
#include "eventstore/event_log.hpp"

namespace annolog::commands {

std::vector<DatasetId> running_backfills(const eventstore::EventLog& log,
                                         eventstore::ShardId shard);

}  // namespace annolog::commands
