// What several routes of batches share.
#pragma once

#include "api/http/route.hpp"
#include "api/work.hpp"
#include "domain/batch/view.hpp"

namespace annolog::api {

inline constexpr const char* kBatchPath = "/api/v1/projects/{project_id}/batches/{batch_id:text}";

using Handle = awaitable<HandlerResult> (*)(Call&, Services&);

// The handler of a route that calls `handle`.
inline http::Handler with(Services& services, Handle handle) {
  return [&services, handle](Call& call) { return handle(call, services); };
}

// The batch that the path names ({batch_id:text}: its id or display id), or 404. Waits for the read
// models first.
awaitable<Result<BatchView>> batch_of_path(Call& call, Services& services);

BatchRef batch_in_path(const Call& call);

// Fills the names that only this side knows.
void complete(const Services& services, BatchView& batch);

http::Reply batch_reply(const Services& services, int status, BatchView view);

// A write about the batch that the path names, answered with the batch.
awaitable<HandlerResult> change_batch(Call& call, Services& services, commands::Command command,
                                      std::string body_text);

}  // namespace annolog::api
