// TIFF and BigTIFF through libtiff: the header and the first directory, nothing else. No mapping,
// strip tables left alone, no allocation above 1 MiB, and no message on the terminal.
#include "workers/media/header_readers.hpp"
#include "workers/media/tiff_input.hpp"

namespace annolog::workers::media {
namespace {

std::optional<Dimensions> run(TiffInput& input) {
  const TiffOptions options = tiff_options(1 << 20);
  if (!options) return std::nullopt;
  const TiffFile tiff = open_tiff(input, "rmD", options.get());
  if (!tiff) return std::nullopt;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (::TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      ::TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1)
    return std::nullopt;
  return Dimensions{width, height};
}

}  // namespace

std::optional<Dimensions> read_tiff(BudgetedSource& source) {
  TiffInput input{source};
  const auto size = run(input);
  if (input.broken) std::rethrow_exception(input.broken);
  return size;
}

}  // namespace annolog::workers::media
