#include "workers/export/line_text.hpp"

#include <algorithm>
#include <array>

namespace annolog::workers {
namespace {

using std::string_view_literals::operator""sv;

// White_Space of Unicode beyond ASCII, in UTF-8.
constexpr std::array kWideBlanks{"\u0085"sv, "\u00a0"sv, "\u1680"sv, "\u2000"sv, "\u2001"sv,
                                 "\u2002"sv, "\u2003"sv, "\u2004"sv, "\u2005"sv, "\u2006"sv,
                                 "\u2007"sv, "\u2008"sv, "\u2009"sv, "\u200a"sv, "\u2028"sv,
                                 "\u2029"sv, "\u202f"sv, "\u205f"sv, "\u3000"sv};

bool is_blank(char c) { return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F); }

// Bytes of the blank that the text begins or ends with; 0: none.
std::size_t blank_at_front(std::string_view text) {
  if (text.empty()) return 0;
  if (is_blank(text.front())) return 1;
  const auto* found =
      std::ranges::find_if(kWideBlanks, [&](auto blank) { return text.starts_with(blank); });
  return found == kWideBlanks.end() ? 0 : found->size();
}

std::size_t blank_at_back(std::string_view text) {
  if (text.empty()) return 0;
  if (is_blank(text.back())) return 1;
  const auto* found =
      std::ranges::find_if(kWideBlanks, [&](auto blank) { return text.ends_with(blank); });
  return found == kWideBlanks.end() ? 0 : found->size();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (const std::size_t length = blank_at_front(text)) text.remove_prefix(length);
  while (const std::size_t length = blank_at_back(text)) text.remove_suffix(length);
  return text;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return std::string(trimmed(line));
}

}  // namespace annolog::workers
