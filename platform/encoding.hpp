// Bytes as text: lower-case hex, and base64url without padding (RFC 4648, section 5).
// Decoding base64url is strict: one text for each byte string, so nothing signed has a second
// spelling.
// Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace annolog::platform {

std::string to_hex(std::string_view bytes);
// Takes upper and lower case; nullopt for an odd length or another character.
std::optional<std::string> from_hex(std::string_view text);

std::string to_base64url(std::string_view bytes);
// nullopt for padding, another alphabet, white space, an impossible length or stray low bits.
std::optional<std::string> from_base64url(std::string_view text);
// Standard alphabet with padding (RFC 4648, section 4), e.g. for images inside JSON.
std::string to_base64(std::string_view bytes);

}  // namespace annolog::platform
