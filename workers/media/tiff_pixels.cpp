// The pixels of a TIFF's first page through libtiff, a strip or a row of tiles at a time. No
// mapping, no allocation above what is allowed, no message on the terminal.
#include <algorithm>

#include "workers/media/decoders.hpp"
#include "workers/media/tiff_input.hpp"

namespace annolog::workers::media {
namespace {

struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint32_t part_width = 0, part_height = 0;  // of a tile or a strip
  bool tiled = false;
};

bool read_layout(TIFF* tiff, Layout& layout) {
  layout.tiled = ::TIFFIsTiled(tiff) != 0;
  if (::TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout.width) != 1 ||
      ::TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout.height) != 1)
    return false;
  if (layout.tiled) {
    if (::TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout.part_width) != 1 ||
        ::TIFFGetField(tiff, TIFFTAG_TILELENGTH, &layout.part_height) != 1)
      return false;
  } else {
    layout.part_width = layout.width;
    ::TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &layout.part_height);
    layout.part_height = std::min(layout.part_height, layout.height);
  }
  return layout.width > 0 && layout.height > 0 && layout.part_width > 0 && layout.part_height > 0;
}

// One part's pixels, lowest row first, into the band of rows that it belongs to, highest first.
bool read_part(TIFF* tiff, const Layout& layout, std::uint32_t x, std::uint32_t y,
               std::vector<std::uint32_t>& part, std::vector<std::uint8_t>& band) {
  const int read = layout.tiled ? ::TIFFReadRGBATileExt(tiff, x, y, part.data(), 1)
                                : ::TIFFReadRGBAStripExt(tiff, y, part.data(), 1);
  if (read != 1) return false;
  const std::uint32_t rows = std::min(layout.part_height, layout.height - y);
  // A tile is always whole; a last strip has the rows that are left.
  const std::uint32_t lowest = layout.tiled ? layout.part_height : rows;
  const std::uint32_t columns = std::min(layout.part_width, layout.width - x);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(
        &part[std::size_t{lowest - 1 - row} * layout.part_width]);
    std::copy_n(from, std::size_t{columns} * 4, &band[(std::size_t{row} * layout.width + x) * 4]);
  }
  return true;
}

// libtiff gives opacity premultiplied.
void undo_premultiplication(std::vector<std::uint8_t>& band) {
  for (std::size_t i = 0; i + 3 < band.size(); i += 4) {
    const unsigned opacity = band[i + 3];
    if (opacity == 255 || opacity == 0) continue;
    for (std::size_t c = 0; c < 3; ++c)
      band[i + c] = static_cast<std::uint8_t>(std::min(255U, band[i + c] * 255U / opacity));
  }
}

Decoded read_bands(TIFF* tiff, Decoding& on, const Layout& layout) {
  const std::uint64_t part_pixels = std::uint64_t{layout.part_width} * layout.part_height;
  const std::uint64_t band_pixels = std::uint64_t{layout.width} * layout.part_height;
  if ((part_pixels + band_pixels) * 4 > on.memory_bytes) return Decoded::too_big;
  std::vector<std::uint32_t> part(static_cast<std::size_t>(part_pixels));
  std::vector<std::uint8_t> band(static_cast<std::size_t>(band_pixels) * 4);
  on.rows.begin(layout.width, layout.height);
  for (std::uint32_t y = 0; y < layout.height; y += layout.part_height) {
    for (std::uint64_t x = 0; x < layout.width; x += layout.part_width) {
      if (on.rows.is_late()) return Decoded::late;
      if (!read_part(tiff, layout, static_cast<std::uint32_t>(x), y, part, band))
        return Decoded::damaged;
    }
    undo_premultiplication(band);
    const std::uint32_t rows = std::min(layout.part_height, layout.height - y);
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!on.rows.add(&band[std::size_t{row} * layout.width * 4])) return Decoded::late;
    }
    if (layout.height - y <= layout.part_height) break;  // y must not run over
  }
  return Decoded::whole;
}

Decoded run(Decoding& on, TiffInput& input) {
  const TiffOptions options = tiff_options(static_cast<tmsize_t>(on.memory_bytes));
  if (!options) return Decoded::too_big;
  const TiffFile tiff = open_tiff(input, "rm", options.get());
  Layout layout;
  if (!tiff || !read_layout(tiff.get(), layout)) return Decoded::damaged;
  std::uint16_t orientation = 1;
  ::TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ORIENTATION, &orientation);
  on.orientation = orientation;
  // Turned afterwards, as all formats are: here the rows come as they are stored.
  ::TIFFSetField(tiff.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  char why[1024] = "";
  if (::TIFFRGBAImageOK(tiff.get(), why) != 1) return Decoded::unsupported;
  return read_bands(tiff.get(), on, layout);
}

}  // namespace

Decoded decode_tiff(Decoding& on) {
  TiffInput input{on.source};
  const Decoded outcome = run(on, input);
  if (input.broken) std::rethrow_exception(input.broken);
  return outcome;
}

}  // namespace annolog::workers::media
