// Reads the JSON objects of the protocol. Strictly: a member that comes twice could be read in two
// ways, once by who checks and once by who uses it. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace annolog::api::oidc {

// nullopt when the text is no JSON (RFC 8259), no object, has a member twice, a NUL character in a
// string, or is nested deeper than 64 levels.
std::optional<nlohmann::json> parse_object(std::string_view text);

// nullopt when it is missing or no string.
std::optional<std::string> text_member(const nlohmann::json& object, const char* name);

// Whether `list` is an array with this string in it.
bool lists(const nlohmann::json& list, std::string_view text);

}  // namespace annolog::api::oidc
