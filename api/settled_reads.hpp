// Reads of what a change of batches' people alters wait until the rows show it: tasks, their counts
// by status and person (projections/engine/settling.hpp). After wait_for_reads(). Nobody else
// waits: not for another project's batches, nor, of one task, for another batch. 503
// READ_MODEL_BEHIND when it takes too long.
#pragma once

#include <functional>

#include "api/work.hpp"

namespace annolog::api {

// Whether nothing in the shard of this id, a project's or of a thing in one, has to be waited for.
// What is read behind this is new enough; asked behind the reading, it says nothing of what was
// read.
bool is_settled(const Services& services, std::int64_t id);
awaitable<Result<void>> wait_until_settled(Call& call, Services& services, ProjectId project);
awaitable<Result<void>> wait_until_settled(Call& call, Services& services, BatchId batch);
// For readings that find out by themselves: `ask`, which may block, until it answers true, ever
// more seldom.
awaitable<Result<void>> ask_until_settled(Call& call, Services& services,
                                          std::function<Result<bool>()> ask);
// Of all projects that the caller may see.
awaitable<Result<void>> wait_until_all_settled(Call& call, Services& services);

}  // namespace annolog::api
