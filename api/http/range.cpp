#include "api/http/range.hpp"

#include <algorithm>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {

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
  const auto from = number_from<std::uint64_t>(from_text);
  const auto to = number_from<std::uint64_t>(to_text);
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
