// The decoders behind make_thumbnail(), one per format: rows go to a RowScaler as they come. What
// needs more than a few rows at once is refused above `memory_bytes`. Internal to workers/media;
// one thread per call. An exception of the source passes through.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workers/media/header_readers.hpp"
#include "workers/media/row_scaler.hpp"

namespace annolog::workers::media {

enum class Decoded { whole, damaged, unsupported, too_big, late };

struct Decoding {
  BudgetedSource& source;
  std::uint64_t memory_bytes;
  RowScaler& rows;
  int orientation = 1;  // EXIF's; the decoder sets it
};

Decoded decode_png(Decoding& on);
Decoded decode_jpeg(Decoding& on);
Decoded decode_webp(Decoding& on);
Decoded decode_gif(Decoding& on);
Decoded decode_bmp(Decoding& on);
Decoded decode_tiff(Decoding& on);

// 1 when there is none. `tiff` begins with its byte order.
int exif_orientation(std::span<const std::uint8_t> tiff);

// The whole file; it must not be larger than `most_bytes` (then: nothing).
std::vector<std::uint8_t> read_whole(BudgetedSource& source, std::uint64_t most_bytes);

}  // namespace annolog::workers::media
