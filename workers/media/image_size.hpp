// Format and pixel size of an image, read from its header: pixels are never decoded, at most
// kMaxHeaderBytes are read, memory stays below a few hundred KiB whatever the file claims.
// Any thread. Never throws on account of the contents; a broken source's exception passes through.
// The size is that of the stored pixel grid: an EXIF orientation does not swap it. GIF: the logical
// screen. TIFF: the first page. Animated WebP: the canvas.
// Source: decisions, section 6 (upload-complete).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/support/result.hpp"
#include "platform/objects/byte_source.hpp"

namespace annolog::workers {

enum class ImageFormat { png, jpeg, webp, gif, bmp, tiff };

inline constexpr std::uint64_t kMaxHeaderBytes = 4 << 20;
inline constexpr std::uint32_t kMaxSidePixels = 100'000;
inline constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 31;

struct ImageSize {
  ImageFormat format = ImageFormat::png;
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  bool operator==(const ImageSize&) const = default;
};

// Refuses (kind invalid) with UNKNOWN_IMAGE_FORMAT, INVALID_IMAGE (header damaged or cut
// short, or a side of 0) or IMAGE_TOO_LARGE (a side above kMaxSidePixels, more than kMaxPixels).
Result<ImageSize> probe_image(platform::ByteSource& source);

// The format that the first bytes announce; 16 bytes are enough.
std::optional<ImageFormat> sniff_image(std::span<const std::byte> first_bytes);

// The registered media type, e.g. image/jpeg.
std::string_view media_type(ImageFormat format);

// Whether a claimed Content-Type (parameters and case ignored, old aliases such as image/jpg and
// image/x-ms-bmp known) stands for that format.
bool claims_format(std::string_view content_type, ImageFormat format);

}  // namespace annolog::workers
