// Request ids and W3C trace context. Any thread. Ids are random but no secrets.
// Source: https://www.w3.org/TR/trace-context/ (version 00).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace annolog::http {

// The client's id when it is sane (1..128 of A-Z a-z 0-9 . _ -), else a new one (32 hex digits).
std::string request_id_from(std::optional<std::string_view> header);

// This service's span: the client's trace continued with a new span id, or a new trace.
std::string traceparent_from(std::optional<std::string_view> header);

}  // namespace annolog::http
