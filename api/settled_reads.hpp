// Reads of what a change of batches' people alters wait until the rows show it: tasks, their counts
// by status and person (projections/engine/settling.hpp). After wait_for_reads(). Nobody else
// waits: not for another project's batches, nor, of one task, for another batch. 503
// READ_MODEL_BEHIND when it takes too long.
#pragma once

#include "api/work.hpp"

namespace annolog::api {

awaitable<Result<void>> wait_until_settled(Call& call, Services& services, ProjectId project);
// Of all projects that the caller may see.
awaitable<Result<void>> wait_until_all_settled(Call& call, Services& services);
// True: it waited, and what was read before is old. `batch`: none has nothing to wait for.
awaitable<Result<bool>> wait_until_settled(Call& call, Services& services, ProjectId project,
                                           std::optional<BatchId> batch);

}  // namespace annolog::api
