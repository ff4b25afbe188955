#include "platform/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace annolog::platform {

std::size_t utf8_character_bytes(std::string_view bytes) {
  const auto at = [&](std::size_t i) -> std::uint8_t {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
  };
  const auto follows = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
  if (bytes.empty()) return 0;
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (lead == 0xE0 && at(1) < 0xA0) return 0;  // overlong
    if (lead == 0xED && at(1) > 0x9F) return 0;  // surrogate
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (lead == 0xF0 && at(1) < 0x90) return 0;  // overlong
    if (lead == 0xF4 && at(1) > 0x8F) return 0;  // above U+10FFFF
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_json_string(std::string& out, std::string_view bytes) {
  out += '"';
  while (!bytes.empty()) {
    const std::size_t length = utf8_character_bytes(bytes);
    const char c = bytes.front();
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace annolog::platform
