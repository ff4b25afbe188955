// The pixels of a BMP by hand, a row at a time (BITMAPINFOHEADER and its kin): 1, 4, 8, 16, 24 and
// 32 bits, with masks. Compressed ones (RLE, embedded JPEG or PNG) are rare and not read.
#include <algorithm>
#include <array>
#include <bit>

#include "workers/media/decoders.hpp"

namespace annolog::workers::media {
namespace {

struct Header {
  std::uint64_t pixels_at = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool from_top = false;
  std::uint32_t bits = 0;
  std::uint32_t compression = 0;
  std::uint64_t palette_at = 0;
  std::uint32_t colour_bytes = 4;
  std::array<std::uint32_t, 4> masks{};  // red, green, blue, opacity
};

template <class Bytes>
std::uint32_t little_endian(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = (value << 8) | static_cast<std::uint32_t>(bytes[at + i]);
  return value;
}

Header read_header(BudgetedSource& source) {
  std::array<std::uint8_t, 14 + 124> bytes{};
  source.read_at(0, std::as_writable_bytes(std::span(bytes)));
  Header header;
  header.pixels_at = little_endian(bytes, 10, 4);
  const std::uint32_t size = little_endian(bytes, 14, 4);
  header.palette_at = 14 + std::uint64_t{size};
  if (size == 12) {
    header.width = little_endian(bytes, 18, 2);
    header.height = little_endian(bytes, 20, 2);
    header.bits = little_endian(bytes, 24, 2);
    header.colour_bytes = 3;
    return header;
  }
  header.width = little_endian(bytes, 18, 4);
  const auto height = static_cast<std::int32_t>(little_endian(bytes, 22, 4));
  header.from_top = height < 0;
  header.height = static_cast<std::uint64_t>(height < 0 ? -std::int64_t{height} : height);
  header.bits = little_endian(bytes, 28, 2);
  header.compression = size >= 40 ? little_endian(bytes, 30, 4) : 0;
  for (std::size_t i = 0; i < 4; ++i) header.masks[i] = little_endian(bytes, 54 + 4 * i, 4);
  if (size < 56) header.masks[3] = 0;
  if (size == 40 && header.compression == 3) header.palette_at += 12;
  return header;
}

std::uint8_t channel(std::uint32_t value, std::uint32_t mask, std::uint8_t without) {
  if (mask == 0) return without;
  const std::uint32_t part = (value & mask) >> std::countr_zero(mask);
  const std::uint32_t most = mask >> std::countr_zero(mask);
  return static_cast<std::uint8_t>(std::uint64_t{part} * 255 / most);
}

void convert(const Header& header, const std::vector<std::uint8_t>& palette,
             const std::vector<std::uint8_t>& stored, std::vector<std::uint8_t>& rgba) {
  for (std::size_t x = 0; x < header.width; ++x) {
    std::uint8_t* const out = &rgba[x * 4];
    out[3] = 255;
    if (header.bits <= 8) {
      const std::size_t bit = x * header.bits;
      const unsigned shift = 8 - header.bits - static_cast<unsigned>(bit % 8);
      const std::size_t index = (stored[bit / 8] >> shift) & ((1U << header.bits) - 1);
      const std::size_t at = index * header.colour_bytes;
      for (std::size_t c = 0; c < 3; ++c)
        out[c] = at + 2 < palette.size() ? palette[at + 2 - c] : 0;
    } else if (header.bits == 24) {
      for (std::size_t c = 0; c < 3; ++c) out[c] = stored[x * 3 + 2 - c];
    } else {
      const std::size_t bytes = header.bits / 8;
      const std::uint32_t value = little_endian(stored, x * bytes, bytes);
      for (std::size_t c = 0; c < 3; ++c) out[c] = channel(value, header.masks[c], 0);
      out[3] = channel(value, header.masks[3], 255);
    }
  }
}

bool set_masks(Header& header) {
  constexpr std::uint32_t kPlain = 0, kMasks = 3, kMasksWithOpacity = 6;
  if (header.compression == kPlain && header.bits == 16) header.masks = {0x7C00, 0x03E0, 0x001F, 0};
  if (header.compression == kPlain && header.bits == 32)
    header.masks = {0xFF0000, 0x00FF00, 0x0000FF, 0};
  const bool masked = header.compression == kMasks || header.compression == kMasksWithOpacity;
  if (header.compression != kPlain && !masked) return false;
  constexpr std::array<std::uint32_t, 6> kBits{1, 4, 8, 16, 24, 32};
  return std::ranges::find(kBits, header.bits) != kBits.end();
}

}  // namespace

Decoded decode_bmp(Decoding& on) {
  Header header = read_header(on.source);
  if (!set_masks(header)) return Decoded::unsupported;
  std::vector<std::uint8_t> palette(
      header.bits <= 8 ? std::size_t{header.colour_bytes} << header.bits : 0);
  on.source.read_at(header.palette_at, std::as_writable_bytes(std::span(palette)));
  const std::uint64_t stride = (header.width * header.bits + 31) / 32 * 4;
  std::vector<std::uint8_t> stored(static_cast<std::size_t>(stride));
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(header.width) * 4);
  on.rows.begin(static_cast<std::uint32_t>(header.width),
                static_cast<std::uint32_t>(header.height));
  for (std::uint64_t y = 0; y < header.height; ++y) {
    const std::uint64_t row = header.from_top ? y : header.height - 1 - y;
    const std::size_t count = on.source.read_at(header.pixels_at + row * stride,
                                                std::as_writable_bytes(std::span(stored)));
    if (count != stored.size()) return Decoded::damaged;
    convert(header, palette, stored, rgba);
    if (!on.rows.add(rgba.data())) return Decoded::late;
  }
  return Decoded::whole;
}

}  // namespace annolog::workers::media
