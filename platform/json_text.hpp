// A JSON string literal from any bytes (RFC 8259, section 7): quotes included, control characters
// escaped, each byte that is not part of valid UTF-8 replaced by U+FFFD. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace annolog::platform {

void append_json_string(std::string& out, std::string_view bytes);

// Length of the UTF-8 character at the start of `bytes` (RFC 3629: no surrogates, no overlong
// forms, nothing above U+10FFFF); 0 when there is none.
std::size_t utf8_character_bytes(std::string_view bytes);

}  // namespace annolog::platform
