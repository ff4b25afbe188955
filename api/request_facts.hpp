// What the edge tells the audit of a request: from its route, head, path and caller.
#pragma once

#include "api/http/call.hpp"
#include "api/services.hpp"
#include "domain/audit/request.hpp"

namespace annolog::api {

// Whether the request's row goes with the command that its handler sends. Else it is recorded at
// the end, by AuditRecorder.
bool goes_with_command(const http::Call& call);

// `status`: of the answer, when all goes well.
http::awaitable<RequestFacts> request_facts(http::Call& call, Services& services, int status);

}  // namespace annolog::api
