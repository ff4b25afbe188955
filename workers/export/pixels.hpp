// From parts of an image to its pixels. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "workers/export/source.hpp"

namespace annolog::workers {

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// Both are known, and neither is 0; else nothing can be placed in pixels.
inline std::optional<PixelSize> pixel_size(const ExportImage& image) {
  if (image.width.value_or(0) <= 0 || image.height.value_or(0) <= 0) return std::nullopt;
  return PixelSize{*image.width, *image.height};
}

}  // namespace annolog::workers
