// XML written piece by piece into a string. Pure; any thread. XML 1.0, sections 2.2 and 2.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annolog::workers {

// Character data; what XML can't hold (control characters, bytes that are not UTF-8, U+FFFE and
// U+FFFF) becomes U+FFFD.
void append_xml(std::string& out, std::string_view text);
void append_xml(std::string& out, std::int64_t number);

// A line of its own: `depth` times two blanks, then `<name>value</name>`.
template <class T>
void append_element(std::string& out, std::size_t depth, std::string_view name, const T& value) {
  out.append(2 * depth, ' ');
  out += '<';
  out += name;
  out += '>';
  append_xml(out, value);
  out += "</";
  out += name;
  out += ">\n";
}

}  // namespace annolog::workers
