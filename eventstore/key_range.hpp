// Bounds of a scan over keys with a common prefix. Pure; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace annolog::eventstore {

// The least key above all keys that begin with `prefix`; nullopt: there is none.
inline std::optional<std::string> after_prefix(std::string_view prefix) {
  std::string bound(prefix);
  while (!bound.empty()) {
    const auto last = static_cast<unsigned char>(bound.back());
    if (last != 0xff) {
      bound.back() = static_cast<char>(last + 1);
      return bound;
    }
    bound.pop_back();
  }
  return std::nullopt;
}

// Where an ascending scan begins.
inline std::string_view scan_start(std::string_view prefix, std::string_view from_key) {
  return std::max(prefix, from_key);
}

}  // namespace annolog::eventstore
