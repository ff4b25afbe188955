// Reads a client's JSON text strictly (RFC 8259): depth, duplicate members, UTF-8, NUL and numbers
// are checked while reading, so that hostile input is refused before it costs memory. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "domain/support/error.hpp"

namespace annolog::http {

inline constexpr std::size_t kMaxJsonDepth = 64;

// Why a text is no JSON; line and column from 1, the column in characters.
struct MalformedJson {
  std::string message;
  std::size_t line = 1;
  std::size_t column = 1;
};
DomainError to_error(const MalformedJson& malformed);  // 400 MALFORMED_JSON

// The document; or why not. Well-formed but not allowed (NUL in text, numbers past the range of a
// double) goes to `errors` with its place.
std::variant<nlohmann::json, MalformedJson> parse_client_json(std::string_view text,
                                                              std::vector<FieldError>& errors);

}  // namespace annolog::http
