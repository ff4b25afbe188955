// Reads that several routes of batches share.
#pragma once

#include "api/work.hpp"
#include "domain/batch/view.hpp"

namespace annolog::api {

// The batch that the path names ({batch_id:text}: its id or display id), or 404. Waits for the read
// models first.
awaitable<Result<BatchView>> batch_of_path(Call& call, Services& services);

BatchRef batch_in_path(const Call& call);

// Fills the names that only this side knows.
void complete(const Services& services, BatchView& batch);

}  // namespace annolog::api
