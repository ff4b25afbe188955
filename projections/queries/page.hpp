// One page of a list read by keyset: the rows and where the next page starts. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace annolog::projections {

// `next` is the place of the last row given, to be passed back as `after`; absent on the last page.
template <class T, class Cursor>
struct Page {
  std::vector<T> items;
  std::optional<Cursor> next;
};

}  // namespace annolog::projections
