// The name of an object in the store: a relative path with `/` between its segments.
// A value type that can only be made by parse(), so whoever holds one holds a safe key: valid
// UTF-8, at most 1024 bytes, segments of 1..255 bytes, none of them `.` or `..`, no control
// character (C0, DEL, C1), no backslash. Any thread. Source: decisions, section 6 (file_path).
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::platform {

class ObjectKey {
 public:
  static constexpr std::size_t kMaxBytes = 1024;
  static constexpr std::size_t kMaxSegmentBytes = 255;

  // Refuses with kind invalid, code INVALID_OBJECT_KEY and a message that names the first fault.
  static Result<ObjectKey> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Views into text(), at least one.
  std::vector<std::string_view> segments() const;
  // The last segment.
  std::string_view file_name() const;

  auto operator<=>(const ObjectKey&) const = default;

 private:
  explicit ObjectKey(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace annolog::platform
