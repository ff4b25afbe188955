// Optimistic concurrency: the versions of a resource that the caller has seen (HTTP: If-Match).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace annolog {

// Absent: any version will do. Empty: none will.
using ExpectedVersion = std::optional<std::vector<std::int64_t>>;

inline bool matches(const ExpectedVersion& expected, std::int64_t version) {
  return !expected || std::find(expected->begin(), expected->end(), version) != expected->end();
}

}  // namespace annolog
