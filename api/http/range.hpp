// Byte ranges of answers with random access (RFC 9110, section 14). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace annolog::http {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  std::uint64_t length() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

struct RangeChoice {
  enum class Kind { whole, part, unsatisfiable };  // 200, 206, 416
  Kind kind = Kind::whole;
  ByteRange range = {};
};

// Malformed headers, other units and several ranges mean the whole. `if_range` must equal the
// strong etag for the range to count.
RangeChoice choose_range(std::optional<std::string_view> range_header,
                         std::optional<std::string_view> if_range, std::string_view etag,
                         std::uint64_t size);

}  // namespace annolog::http
