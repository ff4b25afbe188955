#include "workers/export/xml_text.hpp"

#include "domain/task/plain_values.hpp"
#include "platform/json_text.hpp"

namespace annolog::workers {

void append_xml(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = platform::utf8_character_bytes(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const char c = character.front();
    if (length == 0 || !is_xml_character(character)) out += kNoXmlCharacter;
    else if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '\r') out += "&#13;";  // a reader would make a line feed of it
    else out += character;
    text.remove_prefix(character.size());
  }
}

void append_xml(std::string& out, std::int64_t number) { out += std::to_string(number); }

}  // namespace annolog::workers
