// Before a process writes a shard: nothing that an earlier writer began may still appear. One call,
// any thread. Throws LogUnavailable.
#pragma once

#include <span>
#include <string>

#include "eventstore/kafka/client.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

// Waits until all that lies in the partitions now is committed or aborted. A transaction that stays
// open in the way is ended by shutting its writer out: the record that it begins with says whose it
// is. Writers called `own_id`, or that and a number ("<own_id>-3"), are this process's own and left
// alone. An answer that is on its way at the deadline is waited for, up to a second more.
void settle(const Connection& connection, const std::string& topic, std::span<const ShardId> shards,
            const std::string& own_id, Deadline deadline);

}  // namespace annolog::eventstore::kafka
