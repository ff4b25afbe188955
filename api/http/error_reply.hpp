// The one place where a refusal becomes an HTTP answer: status, headers and body (decisions,
// section 1). Pure; any thread.
#pragma once

#include <string_view>

#include "api/http/reply.hpp"
#include "api/http/request_head.hpp"

namespace annolog::http {

std::string_view reason_phrase(int status);

// `{detail: ...}`, or RFC 9457 when the client's Accept asks for application/problem+json.
// A kind has one status; `status` overrides it for what only HTTP knows (405, 415, 431, ...).
Reply error_reply(const RequestHead& head, const DomainError& error, int status = 0);

// The body alone, without a request: for what is refused before it could be read.
std::string error_body(const DomainError& error);

}  // namespace annolog::http
