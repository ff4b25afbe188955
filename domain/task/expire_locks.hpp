// Locks that nobody gave back: the cleaner tidies them and announces it. It decides nothing about
// who may do what: a lock is over at its instant of expiry, whenever this comes.
#pragma once

#include <vector>

#include "domain/events.hpp"
#include "domain/task/state.hpp"

namespace annolog {

// `rows`: tasks as they are kept, not caught up with their batches: a lock that a change of the
// batch's people freed stays in the row, and is to go too. Those whose lock is live, or gone, are
// passed over.
Events expire_locks(const std::vector<TaskState>& rows, Timestamp now);

}  // namespace annolog
