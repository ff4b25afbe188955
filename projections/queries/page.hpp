// One page of a list read by keyset: the rows and where the next page starts. Plain values.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "domain/support/timestamp.hpp"

namespace annolog::projections {

// A place in a list that is in order of time, then of id.
struct TimeCursor {
  Timestamp at;
  std::int64_t id = 0;
};

// Where a list begins whose newest row comes first.
inline constexpr TimeCursor kAfterAll{{std::numeric_limits<std::int64_t>::max()},
                                      std::numeric_limits<std::int64_t>::max()};

// `next` is the place of the last row given, to be passed back as `after`; absent on the last page.
template <class T, class Cursor>
struct Page {
  std::vector<T> items;
  std::optional<Cursor> next;
};

}  // namespace annolog::projections
