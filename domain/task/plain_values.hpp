// Attribute values as a format without types tells them (Pascal VOC): what is written so, and what
// is compared with it, reads alike. Pure. Texts are UTF-8. XML 1.0, section 2.2; RFC 8259.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/support/attributes.hpp"

namespace annolog {

// Whether XML can hold the character: not so most control characters, U+FFFE and U+FFFF.
bool is_xml_character(std::string_view character);
inline constexpr std::string_view kNoXmlCharacter = "\xEF\xBF\xBD";  // U+FFFD stands for it

// As it comes back from XML.
std::string through_xml(std::string_view text);

// Words and numbers as Python prints them, since that is how datumaro writes them; lists as JSON.
// Nothing for null.
std::string plain_text(const AttributeValue& value);

// What such a text means where a boolean or a number is wanted; absent: neither.
std::optional<bool> plain_flag(std::string_view text);
std::optional<double> plain_number(std::string_view text);

}  // namespace annolog
