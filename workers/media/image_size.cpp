#include "workers/media/image_size.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "workers/media/header_readers.hpp"
#include "workers/media/refused_image.hpp"

namespace annolog::workers {
namespace {

struct FormatRow {
  ImageFormat format;
  std::string_view name;
  std::optional<media::Dimensions> (*read)(media::BudgetedSource&);
  // The registered type first, then names still met in the wild.
  std::array<std::string_view, 4> media_types;
};

constexpr FormatRow kFormats[] = {
    {ImageFormat::png, "PNG", media::read_png, {"image/png", "image/x-png"}},
    {ImageFormat::jpeg, "JPEG", media::read_jpeg, {"image/jpeg", "image/jpg", "image/pjpeg"}},
    {ImageFormat::webp, "WebP", media::read_webp, {"image/webp"}},
    {ImageFormat::gif, "GIF", media::read_gif, {"image/gif"}},
    {ImageFormat::bmp, "BMP", media::read_bmp, {"image/bmp", "image/x-ms-bmp", "image/x-bmp"}},
    {ImageFormat::tiff, "TIFF", media::read_tiff, {"image/tiff", "image/tif", "image/x-tiff"}},
};

const FormatRow& row_of(ImageFormat format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const FormatRow& row) { return row.format == format; });
}

bool has(std::span<const std::byte> bytes, std::size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() &&
         std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<ImageFormat> sniff_image(std::span<const std::byte> first) {
  using namespace std::string_view_literals;
  if (has(first, 0, "\x89PNG\r\n\x1a\n"sv)) return ImageFormat::png;
  if (has(first, 0, "\xff\xd8\xff"sv)) return ImageFormat::jpeg;
  if (has(first, 0, "RIFF"sv) && has(first, 8, "WEBP"sv)) return ImageFormat::webp;
  if (has(first, 0, "GIF87a"sv) || has(first, 0, "GIF89a"sv)) return ImageFormat::gif;
  if (has(first, 0, "BM"sv)) return ImageFormat::bmp;
  if (has(first, 0, "II*\0"sv) || has(first, 0, "MM\0*"sv)) return ImageFormat::tiff;
  if (has(first, 0, "II+\0\x08\0"sv) || has(first, 0, "MM\0+\0\x08"sv)) return ImageFormat::tiff;
  return std::nullopt;
}

Result<ImageSize> probe_image(platform::ByteSource& source) {
  std::array<std::byte, 16> first{};
  const std::size_t count = source.read_at(0, first);
  const auto format = sniff_image(std::span(first).first(count));
  if (!format)
    return refused_image("UNKNOWN_IMAGE_FORMAT",
                         "The file is not a PNG, JPEG, WebP, GIF, BMP or TIFF image.");
  const FormatRow& row = row_of(*format);
  media::BudgetedSource budgeted(source, kMaxHeaderBytes);
  const auto size = row.read(budgeted);
  if (!size)
    return refused_image("INVALID_IMAGE", "The file begins like a " + std::string(row.name) +
                                              " image, but its header can't be read.");
  if (size->width == 0 || size->height == 0)
    return refused_image("INVALID_IMAGE", "The image has no pixels: its size is " +
                                              std::to_string(size->width) + " x " +
                                              std::to_string(size->height) + ".");
  if (size->width > kMaxSidePixels || size->height > kMaxSidePixels ||
      size->width * size->height > kMaxPixels)
    return refused_image("IMAGE_TOO_LARGE",
                         "The image is too large: " + std::to_string(size->width) + " x " +
                             std::to_string(size->height) +
                             " pixels; a side may have 100000 and the whole 2147483648.");
  return ImageSize{*format, static_cast<std::uint32_t>(size->width),
                   static_cast<std::uint32_t>(size->height)};
}

std::string_view media_type(ImageFormat format) { return row_of(format).media_types.front(); }

bool claims_format(std::string_view content_type, ImageFormat format) {
  std::string claimed(content_type.substr(0, content_type.find(';')));
  std::transform(claimed.begin(), claimed.end(), claimed.begin(), to_lower);
  while (!claimed.empty() && (claimed.back() == ' ' || claimed.back() == '\t')) claimed.pop_back();
  const auto& types = row_of(format).media_types;
  return !claimed.empty() && std::find(types.begin(), types.end(), claimed) != types.end();
}

}  // namespace annolog::workers
