// WebP through libwebp's own header parser (lossy, lossless and extended files). Its first 4 KiB
// are enough: an extended file states its canvas in the first chunk.
#include <webp/decode.h>

#include <array>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {

std::optional<Dimensions> read_webp(BudgetedSource& source) {
  std::array<std::uint8_t, 4096> head{};
  const std::size_t count = source.read_at(0, std::as_writable_bytes(std::span(head)));
  WebPBitstreamFeatures features{};
  if (::WebPGetFeatures(head.data(), count, &features) != VP8_STATUS_OK) return std::nullopt;
  if (features.width < 0 || features.height < 0) return std::nullopt;
  return Dimensions{static_cast<std::uint64_t>(features.width),
                    static_cast<std::uint64_t>(features.height)};
}

}  // namespace annolog::workers::media
