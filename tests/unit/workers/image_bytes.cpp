#include "tests/unit/workers/image_bytes.hpp"

#include <png.h>
#include <webp/encode.h>
#include <cstdio>  // jpeglib.h needs FILE
#include <jpeglib.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace annolog::workers::test {
namespace {

std::string number(std::uint64_t value, int bytes, bool big_endian) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFF);
  if (big_endian) std::reverse(text.begin(), text.end());
  return text;
}
std::string le(std::uint64_t value, int bytes) { return number(value, bytes, false); }

std::vector<std::uint8_t> pixels(std::uint32_t width, std::uint32_t height) {
  return std::vector<std::uint8_t>(std::size_t{width} * height * 3, 128);
}

std::string taken(std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ::WebPFree(data);
  return text;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  boost::crc_32_type crc;
  crc.process_bytes(body.data(), body.size());
  return number(data.size(), 4, true) + body + number(crc.checksum(), 4, true);
}

}  // namespace

std::string png(std::uint32_t width, std::uint32_t height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB;
  const auto data = pixels(width, height);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (::png_image_write_to_memory(&image, out.data(), &size, 0, data.data(), 0, nullptr) == 0)
    throw std::runtime_error("png");
  out.resize(size);
  return out;
}

std::string png_header(std::uint32_t width, std::uint32_t height) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", number(width, 4, true) + number(height, 4, true) +
                               std::string("\x08\x02\0\0\0", 5)) +
         png_chunk("IDAT", "");
}

std::string jpeg(std::uint32_t width, std::uint32_t height, bool progressive,
                 std::size_t metadata_bytes) {
  jpeg_compress_struct writer{};
  jpeg_error_mgr errors{};
  writer.err = ::jpeg_std_error(&errors);
  jpeg_create_compress(&writer);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  ::jpeg_mem_dest(&writer, &out, &size);
  writer.image_width = width;
  writer.image_height = height;
  writer.input_components = 3;
  writer.in_color_space = JCS_RGB;
  ::jpeg_set_defaults(&writer);
  if (progressive) ::jpeg_simple_progression(&writer);
  ::jpeg_start_compress(&writer, TRUE);
  const std::vector<JOCTET> metadata(60'000, 0xFF);
  for (std::size_t done = 0; done < metadata_bytes; done += metadata.size())
    ::jpeg_write_marker(&writer, JPEG_APP0 + 1, metadata.data(),
                        static_cast<unsigned>(metadata.size()));
  std::vector<JSAMPLE> row(std::size_t{width} * 3, 128);
  JSAMPROW rows[] = {row.data()};
  while (writer.next_scanline < height) ::jpeg_write_scanlines(&writer, rows, 1);
  ::jpeg_finish_compress(&writer);
  std::string text(reinterpret_cast<const char*>(out), size);
  ::jpeg_destroy_compress(&writer);
  std::free(out);
  return text;
}

std::string webp_lossy(std::uint32_t width, std::uint32_t height) {
  std::uint8_t* out = nullptr;
  const auto size =
      ::WebPEncodeRGB(pixels(width, height).data(), static_cast<int>(width),
                      static_cast<int>(height), static_cast<int>(width) * 3, 75, &out);
  return taken(out, size);
}

std::string webp_lossless(std::uint32_t width, std::uint32_t height) {
  std::uint8_t* out = nullptr;
  const auto size =
      ::WebPEncodeLosslessRGB(pixels(width, height).data(), static_cast<int>(width),
                              static_cast<int>(height), static_cast<int>(width) * 3, &out);
  return taken(out, size);
}

std::string webp_extended(std::uint32_t width, std::uint32_t height) {
  const std::string picture = webp_lossless(width, height).substr(12);
  const std::string chunk = "VP8X" + le(10, 4) + le(0x20, 4) + le(width - 1, 3) + le(height - 1, 3);
  const std::string profile = "ICCP" + le(8000, 4) + std::string(8000, 'i');
  const std::string body = "WEBP" + chunk + profile + picture;
  return "RIFF" + le(body.size(), 4) + body;
}

std::string gif(std::uint16_t width, std::uint16_t height) {
  return "GIF89a" + le(width, 2) + le(height, 2) + std::string("\0\0\0;", 4);
}

std::string bmp(std::int32_t width, std::int32_t height) {
  const auto u = [](std::int32_t value) { return le(static_cast<std::uint32_t>(value), 4); };
  const std::string info =
      le(40, 4) + u(width) + u(height) + le(1, 2) + le(24, 2) + std::string(24, '\0');
  return "BM" + le(14 + 40 + 4, 4) + le(0, 4) + le(54, 4) + info + "abcd";
}

std::string bmp_core(std::uint16_t width, std::uint16_t height) {
  const std::string info = le(12, 4) + le(width, 2) + le(height, 2) + le(1, 2) + le(24, 2);
  return "BM" + le(14 + 12 + 4, 4) + le(0, 4) + le(26, 4) + info + "abcd";
}

std::string tiff(std::uint32_t width, std::uint32_t height, bool big_endian) {
  const auto n = [&](std::uint64_t value, int bytes) { return number(value, bytes, big_endian); };
  const auto entry = [&](std::uint32_t tag, std::uint32_t value) {
    return n(tag, 2) + n(4, 2) + n(1, 4) + n(value, 4);  // LONG
  };
  return std::string(big_endian ? "MM" : "II") + n(42, 2) + n(8, 4) + n(4, 2) + entry(256, width) +
         entry(257, height) + entry(273, 62) + entry(279, 4) + n(0, 4) + "abcd";
}

std::string big_tiff(std::uint32_t width, std::uint32_t height) {
  const auto entry = [&](std::uint32_t tag, std::uint64_t value) {
    return le(tag, 2) + le(4, 2) + le(1, 8) + le(value, 8);
  };
  return "II" + le(43, 2) + le(8, 2) + le(0, 2) + le(16, 8) + le(4, 8) + entry(256, width) +
         entry(257, height) + entry(273, 112) + entry(279, 4) + le(0, 8) + "abcd";
}

}  // namespace annolog::workers::test
