// Thumbnails: every format, the right way up, within bounds whatever a file claims.
#include "workers/media/thumbnail.hpp"

#include <gtest/gtest.h>
#include <webp/decode.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/unit/workers/image_bytes.hpp"
#include "workers/media/decoders.hpp"
#include "workers/media/image_size.hpp"

namespace annolog::workers::thumbnail_test {
namespace {

using media::Pixels;

Result<std::vector<std::uint8_t>> make(std::string_view text, const ThumbnailLimits& limits = {}) {
  platform::MemorySource source(std::as_bytes(std::span(text)));
  return make_thumbnail(source, limits);
}

Pixels decoded(const std::vector<std::uint8_t>& webp) {
  int width = 0;
  int height = 0;
  std::uint8_t* const rgba = ::WebPDecodeRGBA(webp.data(), webp.size(), &width, &height);
  if (rgba == nullptr) return {};
  Pixels pixels{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  pixels.rgba.assign(rgba, rgba + std::size_t{4} * pixels.width * pixels.height);
  ::WebPFree(rgba);
  return pixels;
}

std::string code_of(std::string_view text, const ThumbnailLimits& limits = {}) {
  const auto made = make(text, limits);
  return made ? "" : made.error().code;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(std::string& out, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i));
}

// 24 bits; the left half is red, the right one blue, the lowest quarter green.
std::string coloured_bmp(std::uint32_t width, std::uint32_t height) {
  const std::uint32_t stride = (width * 3 + 3) / 4 * 4;
  std::string out = "BM";
  put(out, 54 + stride * height, 4);
  put(out, 0, 4);
  put(out, 54, 4);
  put(out, 40, 4);
  put(out, width, 4);
  put(out, height, 4);
  put(out, 1, 2);
  put(out, 24, 2);
  for (int i = 0; i < 6; ++i) put(out, 0, 4);
  for (std::uint32_t y = 0; y < height; ++y) {  // from the bottom
    std::string row;
    for (std::uint32_t x = 0; x < width; ++x) {
      const bool green = y < height / 4;
      const bool red = !green && x < width / 2;
      row += green ? std::string("\0\xFF\0", 3)
             : red ? std::string("\0\0\xFF", 3)
                   : std::string("\xFF\0\0", 3);
    }
    row.resize(stride);
    out += row;
  }
  return out;
}

// The strongest of red, green and blue at a place given in parts of the whole.
char colour_at(const Pixels& pixels, double x, double y) {
  const auto column = static_cast<std::size_t>(x * pixels.width);
  const auto row = static_cast<std::size_t>(y * pixels.height);
  const auto* const p = &pixels.rgba[(row * pixels.width + column) * 4];
  return p[0] > p[1] && p[0] > p[2] ? 'r' : p[1] > p[2] ? 'g' : 'b';
}

TEST(Thumbnail, real_photographs_of_every_format) {
  const std::filesystem::path root = ANNOLOG_SOURCE_DIR "/deploy/demo/images";
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = read(entry.path());
    platform::MemorySource source(std::as_bytes(std::span(bytes)));
    const auto size = probe_image(source);
    ASSERT_TRUE(size) << entry.path();
    const auto made = make(bytes);
    ASSERT_TRUE(made) << entry.path() << ": " << made.error().message;
    const Pixels pixels = decoded(made.value());
    const auto fitted = media::fit(size.value().width, size.value().height, kThumbnailSide);
    EXPECT_EQ(pixels.width, fitted.width) << entry.path();
    EXPECT_EQ(pixels.height, fitted.height) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(Thumbnail, pictures_keep_their_colours_and_their_place) {
  const auto made = make(coloured_bmp(1000, 800));
  ASSERT_TRUE(made);
  const Pixels pixels = decoded(made.value());
  EXPECT_EQ(pixels.width, 512U);
  EXPECT_EQ(pixels.height, 410U);
  EXPECT_EQ(colour_at(pixels, 0.2, 0.3), 'r');
  EXPECT_EQ(colour_at(pixels, 0.8, 0.3), 'b');
  EXPECT_EQ(colour_at(pixels, 0.2, 0.9), 'g');
}

TEST(Thumbnail, small_ones_are_not_blown_up) {
  for (const std::string& bytes : {test::png(7, 5), test::jpeg(7, 5, false, 0),
                                   test::webp_lossy(7, 5), test::webp_lossless(7, 5)}) {
    const auto made = make(bytes);
    ASSERT_TRUE(made) << made.error().message;
    const Pixels pixels = decoded(made.value());
    EXPECT_EQ(pixels.width, 7U);
    EXPECT_EQ(pixels.height, 5U);
  }
}

TEST(Thumbnail, what_is_too_large_is_refused_before_it_is_decoded) {
  EXPECT_EQ(code_of(test::png_header(10'001, 10'000)), "IMAGE_TOO_LARGE");
  EXPECT_EQ(code_of(test::png_header(90'000, 90'000)), "IMAGE_TOO_LARGE");
  ThumbnailLimits limits;
  limits.file_bytes = 100;
  EXPECT_EQ(code_of(test::jpeg(70, 50, false, 1000), limits), "IMAGE_TOO_LARGE");
  limits = {};
  limits.pixels = 34;
  EXPECT_EQ(code_of(test::png(7, 5), limits), "IMAGE_TOO_LARGE");
}

TEST(Thumbnail, what_would_take_too_much_memory_or_time_is_refused) {
  ThumbnailLimits limits;
  limits.memory_bytes = 1000;
  EXPECT_EQ(code_of(test::webp_lossless(70, 50), limits), "IMAGE_TOO_LARGE");
  limits = {};
  const std::atomic<bool> given_up{true};
  limits.given_up = &given_up;
  EXPECT_EQ(code_of(coloured_bmp(40, 40), limits), "DECODING_TOO_SLOW");
  limits = {};
  limits.time = std::chrono::milliseconds(-1);
  EXPECT_EQ(code_of(test::png(7, 5), limits), "DECODING_TOO_SLOW");
}

TEST(Thumbnail, damaged_files_are_refused_and_harm_nobody) {
  EXPECT_EQ(code_of("no image at all"), "UNKNOWN_IMAGE_FORMAT");
  EXPECT_EQ(code_of(test::png_header(64, 48)), "DAMAGED_IMAGE");
  for (const std::string& bytes :
       {test::png(40, 30), test::jpeg(40, 30, true, 0), test::jpeg(40, 30, false, 0),
        test::webp_lossy(40, 30), test::webp_lossless(40, 30), test::webp_extended(40, 30),
        test::gif(40, 30), test::bmp(40, 30), test::bmp_core(40, 30), test::tiff(40, 30, false),
        test::big_tiff(40, 30), coloured_bmp(9, 7)}) {
    for (std::size_t length = 0; length < bytes.size(); ++length)
      static_cast<void>(make(std::string_view(bytes).substr(0, length)));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string broken = bytes;
      broken[at] = static_cast<char>(broken[at] ^ 0x5A);
      ThumbnailLimits limits;
      limits.pixels = 1'000'000;  // a broken size need not cost a second each
      static_cast<void>(make(broken, limits));
    }
  }
}

Pixels two_by_three() {  // values 0 to 5 in red, in rows of two
  Pixels pixels{2, 3, {}};
  for (std::uint8_t i = 0; i < 6; ++i) pixels.rgba.insert(pixels.rgba.end(), {i, 0, 0, 255});
  return pixels;
}

std::vector<int> reds(const Pixels& pixels) {
  std::vector<int> values;
  for (std::size_t i = 0; i < pixels.rgba.size(); i += 4) values.push_back(pixels.rgba[i]);
  return values;
}

TEST(Orientation, all_eight) {
  const std::vector<std::vector<int>> seen = {
      {0, 1, 2, 3, 4, 5},  // as stored: 0 1 / 2 3 / 4 5
      {1, 0, 3, 2, 5, 4}, {5, 4, 3, 2, 1, 0}, {4, 5, 2, 3, 0, 1},
      {0, 2, 4, 1, 3, 5},  // three in a row from here on
      {4, 2, 0, 5, 3, 1}, {5, 3, 1, 4, 2, 0}, {1, 3, 5, 0, 2, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Pixels turned = media::turned(two_by_three(), orientation);
    EXPECT_EQ(turned.width, orientation < 5 ? 2U : 3U) << orientation;
    EXPECT_EQ(reds(turned), seen[static_cast<std::size_t>(orientation - 1)]) << orientation;
  }
}

TEST(Orientation, is_read_from_exif_of_both_byte_orders) {
  const std::vector<std::uint8_t> little{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
                                         1,   3,   0,  1, 0, 0, 0, 6, 0, 0, 0};
  const std::vector<std::uint8_t> big{'M',  'M', 0, 42, 0, 0, 0, 8, 0, 1, 1,
                                      0x12, 0,   3, 0,  0, 0, 1, 0, 8, 0, 0};
  EXPECT_EQ(media::exif_orientation(little), 6);
  EXPECT_EQ(media::exif_orientation(big), 8);
  for (std::size_t length = 0; length + 4 < little.size(); ++length)
    EXPECT_EQ(media::exif_orientation(std::span(little).first(length)), 1) << length;
}

TEST(RowScaler, is_a_mean_of_what_lies_under_a_pixel) {
  media::RowScaler rows(2, media::RowScaler::Clock::time_point::max());
  rows.begin(3, 3);
  std::vector<std::uint8_t> row;
  for (const std::uint8_t value : {0, 90, 240}) row.insert(row.end(), {value, 0, 0, 255});
  for (int y = 0; y < 3; ++y) EXPECT_TRUE(rows.add(row.data()));
  EXPECT_TRUE(rows.is_whole());
  // A target pixel covers one source pixel and half of the middle one.
  EXPECT_EQ(reds(rows.take()), (std::vector<int>{30, 190, 30, 190}));
}

TEST(RowScaler, what_is_not_seen_has_no_say) {
  media::RowScaler rows(1, media::RowScaler::Clock::time_point::max());
  rows.begin(2, 1);
  const std::vector<std::uint8_t> row{200, 0, 0, 255, 0, 255, 255, 0};
  EXPECT_TRUE(rows.add(row.data()));
  const Pixels pixels = rows.take();
  EXPECT_EQ(pixels.rgba, (std::vector<std::uint8_t>{200, 0, 0, 128}));
}

TEST(RowScaler, sizes_are_kept_in_proportion) {
  const auto size = [](std::uint32_t width, std::uint32_t height) {
    const auto fitted = media::fit(width, height, 512);
    return std::pair(fitted.width, fitted.height);
  };
  EXPECT_EQ(size(512, 512), std::pair(512U, 512U));
  EXPECT_EQ(size(1024, 768), std::pair(512U, 384U));
  EXPECT_EQ(size(100'000, 1), std::pair(512U, 1U));
  EXPECT_EQ(size(3, 4000), std::pair(1U, 512U));
}

}  // namespace
}  // namespace annolog::workers::thumbnail_test
