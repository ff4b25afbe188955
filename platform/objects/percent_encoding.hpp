// Percent-encoding of URL parts (RFC 3986, sections 2.1 and 2.3). Pure; any thread.
// Encoding is canonical: exactly the unreserved characters stay (A-Z a-z 0-9 - . _ ~), all other
// bytes become %XX with upper-case digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace annolog::platform {

// For a query name or value: `/` and `+` are encoded too.
std::string percent_encode(std::string_view text);
// For a path: the same, with `/` kept as the separator.
std::string percent_encode_path(std::string_view path);
// Exact inverse of both; `+` stands for itself. nullopt when a `%` is not followed by two
// hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace annolog::platform
