#include "api/http/text.hpp"

#include "domain/codec/json/utf8.hpp"

namespace annolog::http {
namespace {

constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (to_lower(c) >= 'a' && to_lower(c) <= 'f') return to_lower(c) - 'a' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out(text.size(), '\0');
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out[size++] = c;
  }
  out.resize(size);
  if (!codec::is_utf8(out)) return std::nullopt;
  return out;
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  for (const char c : text) {
    const bool letter = to_lower(c) >= 'a' && to_lower(c) <= 'z';
    if (!letter && !(c >= '0' && c <= '9') && kMarks.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return !text.empty();
}

}  // namespace annolog::http
