// Small images made in memory, for tests of the image probe. Each is `width` x `height` pixels.
#pragma once

#include <cstdint>
#include <string>

namespace annolog::workers::test {

std::string png(std::uint32_t width, std::uint32_t height);
// `metadata_bytes` of APP1 segments come before the picture.
std::string jpeg(std::uint32_t width, std::uint32_t height, bool progressive,
                 std::size_t metadata_bytes);
std::string webp_lossy(std::uint32_t width, std::uint32_t height);
std::string webp_lossless(std::uint32_t width, std::uint32_t height);
// Extended: a VP8X chunk with its own canvas size around a lossless picture.
std::string webp_extended(std::uint32_t width, std::uint32_t height);
// The rest are headers with a token of contents behind them.
std::string gif(std::uint16_t width, std::uint16_t height);
std::string bmp(std::int32_t width, std::int32_t height);
std::string bmp_core(std::uint16_t width, std::uint16_t height);
std::string tiff(std::uint32_t width, std::uint32_t height, bool big_endian);
std::string big_tiff(std::uint32_t width, std::uint32_t height);
// A PNG that claims any size, with correct checksums and no pixels behind it.
std::string png_header(std::uint32_t width, std::uint32_t height);

}  // namespace annolog::workers::test
