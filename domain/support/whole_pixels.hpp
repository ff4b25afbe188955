// Where a side of a box lies in whole pixels, as Pascal VOC tells it: what is written so, and what
// is compared with it, round alike. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace annolog {

struct PixelSpan {
  std::int64_t from = 0;
  std::int64_t to = 0;
  auto operator<=>(const PixelSpan&) const = default;
};

// `low` and `length` are parts of `size` pixels. Rounded, then clamped, and never less than a pixel
// apart: training tools refuse a box that has vanished.
inline PixelSpan whole_pixels(double low, double length, std::int64_t size) {
  const auto most = static_cast<double>(size);
  const auto pixel = [&](double part) {
    return static_cast<std::int64_t>(std::clamp(std::round(part * most), 0.0, most));
  };
  const std::int64_t from = pixel(low);
  const std::int64_t to = pixel(low + length);
  if (to > from) return {from, to};
  return from < size ? PixelSpan{from, from + 1} : PixelSpan{size - 1, size};
}

}  // namespace annolog
