// Numbers in text, as std::from_chars reads them: no blank, no plus sign, a minus sign only where
// Number is signed. Of doubles "inf" and "nan" are numbers, too.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace annolog {

// The number that the text begins with, which is taken away from it; nothing is taken where there
// is none, or one that Number does not hold.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The number behind the mark, both of which are taken away; without the number the mark alone is.
template <class Number>
std::optional<Number> take_number(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return std::nullopt;
  text.remove_prefix(1);
  return take_number<Number>(text);
}

// The whole text as a number.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  const auto number = take_number<Number>(text);
  return text.empty() ? number : std::nullopt;
}

// The whole text as the number of something, 1 and above; else 0, which nothing has.
inline std::int64_t id_number(std::string_view text) {
  return std::max<std::int64_t>(number_from<std::int64_t>(text).value_or(0), 0);
}

}  // namespace annolog
