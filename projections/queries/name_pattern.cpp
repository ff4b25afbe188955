#include "projections/queries/name_pattern.hpp"

#include <algorithm>

namespace annolog::projections {
namespace {

std::string escaped(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// What is not ASCII counts as letters: most of it is, in words that are looked for.
bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

}  // namespace

std::string containing(std::string_view text) { return "%" + escaped(text) + "%"; }
std::string starting_with(std::string_view text) { return escaped(text) + "%"; }

bool has_trigrams(std::string_view text) {
  int in_a_row = 0;
  bool after_other = false;
  for (const char c : text) {
    if (!is_word_byte(c)) {
      in_a_row = 0;
      after_other = true;
      continue;
    }
    if (continues_character(c)) continue;
    if (after_other || ++in_a_row == 3) return true;
  }
  return false;
}

bool has_trigrams_at_start(std::string_view text) {
  return std::ranges::any_of(text, is_word_byte);
}

}  // namespace annolog::projections
