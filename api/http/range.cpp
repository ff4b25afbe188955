#include "api/http/range.hpp"

#include <algorithm>
#include <limits>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {
namespace {

// With more digits than a number holds it is a place behind every file.
std::optional<std::uint64_t> place_from(std::string_view digits) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  return number_from<std::uint64_t>(digits).value_or(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

RangeChoice choose_range(std::optional<std::string_view> range_header,
                         std::optional<std::string_view> if_range, std::string_view etag,
                         std::uint64_t size) {
  const RangeChoice whole{};
  if (!range_header) return whole;
  if (if_range && (etag.empty() || etag.starts_with("W/") || trim(*if_range) != etag)) return whole;

  std::string_view text = *range_header;
  const std::string_view unit = trim(take_until(text, '='));
  if (!equals_ignoring_case(unit, "bytes") || text.find(',') != std::string_view::npos) {
    return whole;
  }
  text = trim(text);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view from_text = text.substr(0, dash);
  const std::string_view to_text = text.substr(dash + 1);
  const auto from = place_from(from_text);
  const auto to = place_from(to_text);
  if ((!from && !from_text.empty()) || (!to && !to_text.empty()) || (!from && !to)) return whole;

  const RangeChoice unsatisfiable{RangeChoice::Kind::unsatisfiable};
  if (!from) {  // the last *to bytes
    if (*to == 0 || size == 0) return unsatisfiable;
    return {RangeChoice::Kind::part, {size - std::min(*to, size), size - 1}};
  }
  if (to && *to < *from) return whole;  // not a valid range: ignored
  if (*from >= size) return unsatisfiable;
  return {RangeChoice::Kind::part, {*from, to ? std::min(*to, size - 1) : size - 1}};
}

}  // namespace annolog::http
