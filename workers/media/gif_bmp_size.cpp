// GIF and BMP keep their size at a fixed place, and no library of the system reads BMP, so these
// two are read by hand. GIF89a specification, section 18; BMP: BITMAPCOREHEADER (12 bytes) and
// BITMAPINFOHEADER with its successors (40 to 124 bytes, and the 16 and 64 bytes of OS/2 2).
#include <array>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {
namespace {

template <std::size_t N>
std::uint32_t little_endian(const std::array<std::byte, N>& bytes, std::size_t at,
                            std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = (value << 8) | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

}  // namespace

std::optional<Dimensions> read_gif(BudgetedSource& source) {
  std::array<std::byte, 13> header{};
  if (source.read_at(0, header) != header.size()) return std::nullopt;
  return Dimensions{little_endian(header, 6, 2), little_endian(header, 8, 2)};
}

std::optional<Dimensions> read_bmp(BudgetedSource& source) {
  std::array<std::byte, 30> header{};
  const std::size_t count = source.read_at(0, header);
  if (count < 26) return std::nullopt;
  const std::uint32_t info_bytes = little_endian(header, 14, 4);
  if (source.size_bytes() < 14 + std::uint64_t{info_bytes}) return std::nullopt;
  if (info_bytes == 12) {
    if (little_endian(header, 22, 2) != 1) return std::nullopt;  // planes
    return Dimensions{little_endian(header, 18, 2), little_endian(header, 20, 2)};
  }
  const bool known = info_bytes == 16 || info_bytes == 40 || info_bytes == 52 || info_bytes == 56 ||
                     info_bytes == 64 || info_bytes == 108 || info_bytes == 124;
  if (!known || count < header.size() || little_endian(header, 26, 2) != 1) return std::nullopt;
  // Both are signed; a negative height means rows from the top.
  const std::int64_t width = static_cast<std::int32_t>(little_endian(header, 18, 4));
  const std::int64_t height = static_cast<std::int32_t>(little_endian(header, 22, 4));
  if (width < 0) return std::nullopt;
  return Dimensions{static_cast<std::uint64_t>(width),
                    static_cast<std::uint64_t>(height < 0 ? -height : height)};
}

}  // namespace annolog::workers::media
