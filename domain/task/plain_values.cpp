#include "domain/task/plain_values.hpp"

#include <array>
#include <cmath>

#include "domain/support/number.hpp"
#include "domain/support/overloaded.hpp"

namespace annolog {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

void append_json(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (is_control(c) || c == 0x7F) {
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) / 16];
      out += kDigits[static_cast<unsigned char>(c) % 16];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string text_of(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string text_of(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const auto& one : list) {
    if (text.size() > 1) text += ", ";
    append_json(text, one);
  }
  return text + ']';
}

}  // namespace

bool is_xml_character(std::string_view character) {
  if (character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") return false;
  const char c = character.front();
  return !is_control(c) || c == '\t' || c == '\n' || c == '\r';
}

std::string through_xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
      ++length;
    }
    const auto character = text.substr(0, length);
    out += is_xml_character(character) ? character : kNoXmlCharacter;
    text.remove_prefix(length);
  }
  return out;
}

std::string plain_text(const AttributeValue& value) {
  return std::visit(overloaded{[](std::nullptr_t) { return std::string(); },
                               [](bool yes) { return std::string(yes ? "True" : "False"); },
                               [](const std::string& text) { return text; },
                               [](const auto& other) { return text_of(other); }},
                    value);
}

std::optional<bool> plain_flag(std::string_view text) {
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<double> plain_number(std::string_view text) {
  const auto number = number_from<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace annolog
