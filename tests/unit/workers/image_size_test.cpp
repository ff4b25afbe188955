#include "workers/media/image_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/workers/image_bytes.hpp"

namespace annolog::workers::image_size_test {
namespace {

Result<ImageSize> probe(std::string_view text) {
  platform::MemorySource source(std::as_bytes(std::span(text)));
  return probe_image(source);
}

struct Sample {
  std::string name;
  std::string bytes;
  ImageSize size;
};

std::vector<Sample> samples() {
  using F = ImageFormat;
  return {
      {"png", test::png(7, 5), {F::png, 7, 5}},
      {"jpeg", test::jpeg(7, 5, false, 0), {F::jpeg, 7, 5}},
      {"progressive jpeg", test::jpeg(33, 17, true, 0), {F::jpeg, 33, 17}},
      {"webp lossy", test::webp_lossy(7, 5), {F::webp, 7, 5}},
      {"webp lossless", test::webp_lossless(7, 5), {F::webp, 7, 5}},
      {"webp extended", test::webp_extended(70, 50), {F::webp, 70, 50}},
      {"gif", test::gif(7, 500), {F::gif, 7, 500}},
      {"bmp", test::bmp(7, 5), {F::bmp, 7, 5}},
      {"bmp from the top", test::bmp(7, -5), {F::bmp, 7, 5}},
      {"bmp core", test::bmp_core(7, 5), {F::bmp, 7, 5}},
      {"tiff", test::tiff(7, 5, false), {F::tiff, 7, 5}},
      {"tiff big endian", test::tiff(70'000, 5, true), {F::tiff, 70'000, 5}},
      {"big tiff", test::big_tiff(7, 5), {F::tiff, 7, 5}},
  };
}

TEST(ImageSize, every_format_tells_its_size) {
  for (const Sample& sample : samples()) {
    const auto size = probe(sample.bytes);
    ASSERT_TRUE(size.has_value()) << sample.name << ": " << size.error().message;
    EXPECT_EQ(size.value(), sample.size) << sample.name;
  }
}

TEST(ImageSize, every_prefix_is_refused_or_right) {
  for (const Sample& sample : samples()) {
    for (std::size_t length = 0; length < sample.bytes.size(); ++length) {
      const auto size = probe(std::string_view(sample.bytes).substr(0, length));
      if (size.has_value()) {
        EXPECT_EQ(size.value(), sample.size) << sample.name << " cut to " << length;
      } else {
        EXPECT_TRUE(size.error().code == "INVALID_IMAGE" ||
                    size.error().code == "UNKNOWN_IMAGE_FORMAT")
            << sample.name << " cut to " << length << ": " << size.error().code;
      }
    }
    EXPECT_FALSE(probe(std::string_view(sample.bytes).substr(0, 9)).has_value()) << sample.name;
  }
}

TEST(ImageSize, no_changed_byte_does_harm) {
  for (const Sample& sample : samples()) {
    const std::size_t end = std::min<std::size_t>(sample.bytes.size(), 700);
    for (std::size_t i = 0; i < end; ++i) {
      for (const int value : {0x00, 0xFF, 0x7F, 0x80}) {
        std::string changed = sample.bytes;
        changed[i] = static_cast<char>(value);
        const auto size = probe(changed);
        if (!size.has_value()) continue;
        EXPECT_GT(size.value().width, 0u);
        EXPECT_LE(size.value().width, kMaxSidePixels);
        EXPECT_GT(size.value().height, 0u);
        EXPECT_LE(size.value().height, kMaxSidePixels);
      }
    }
  }
}

TEST(ImageSize, garbage_behind_each_signature_is_refused) {
  std::uint32_t seed = 1;
  for (const Sample& sample : samples()) {
    for (int round = 0; round < 50; ++round) {
      std::string bytes = sample.bytes.substr(0, 12);
      for (int i = 0; i < 2000; ++i) {
        seed = seed * 1664525 + 1013904223;
        bytes += static_cast<char>(seed >> 24);
      }
      const auto size = probe(bytes);
      if (size.has_value()) {
        EXPECT_LE(size.value().width, kMaxSidePixels);
      }
    }
  }
}

TEST(ImageSize, what_is_no_image_is_named_so) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "x"sv, "<svg xmlns='http://www.w3.org/2000/svg'/>"sv, "%PDF-1.7"sv, "RIFF0000WAVE"sv,
        "\0\0\0\x18"
        "ftypmp42"sv,
        "II*"sv, "GIF88a"sv}) {
    EXPECT_EQ(probe(text).error().code, "UNKNOWN_IMAGE_FORMAT") << text;
  }
}

TEST(ImageSize, claims_of_enormous_size_are_refused) {
  const std::string bombs[] = {
      test::png_header(100'001, 1),
      test::png_header(1, 100'001),
      test::png_header(65'536, 65'536),
      test::png_header(2'147'483'647, 2'147'483'647),
      test::bmp(2'147'483'647, 2'147'483'647),
      test::bmp(7, -2'147'483'647 - 1),
      test::tiff(4'294'967'295, 4'294'967'295, false),
      test::gif(65'535, 65'535),
  };
  for (const std::string& bomb : bombs) EXPECT_EQ(probe(bomb).error().code, "IMAGE_TOO_LARGE");
  EXPECT_TRUE(probe(test::png_header(100'000, 21'474)).has_value());
  EXPECT_FALSE(probe(test::png_header(100'000, 21'475)).has_value());
}

TEST(ImageSize, images_without_pixels_are_refused) {
  for (const std::string& empty :
       {test::gif(0, 5), test::gif(5, 0), test::bmp(0, 5), test::bmp(5, 0), test::tiff(0, 5, false),
        test::png_header(0, 5), test::bmp(-7, 5)})
    EXPECT_EQ(probe(empty).error().code, "INVALID_IMAGE");
}

// Counts what is read.
class CountingSource final : public platform::ByteSource {
 public:
  explicit CountingSource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    platform::MemorySource memory(std::as_bytes(std::span(bytes_)));
    const std::size_t count = memory.read_at(offset, into);
    read += count;
    return count;
  }
  std::uint64_t read = 0;

 private:
  std::string bytes_;
};

TEST(ImageSize, metadata_in_a_jpeg_is_jumped_over) {
  CountingSource source(test::jpeg(40, 30, false, 20'000'000));
  EXPECT_EQ(probe_image(source).value(), (ImageSize{ImageFormat::jpeg, 40, 30}));
  EXPECT_LT(source.read, 2'000'000u);
}

TEST(ImageSize, a_header_without_end_is_given_up) {
  const std::string endless_text("\x7f\xff\xff\xfftEXt", 8);
  for (const std::string& head :
       {std::string("\xff\xd8\xff"), test::png_header(5, 5).substr(0, 33) + endless_text}) {
    CountingSource source(head + std::string(20'000'000, '\0'));
    EXPECT_EQ(probe_image(source).error().code, "INVALID_IMAGE");
    EXPECT_LE(source.read, kMaxHeaderBytes + 64);
  }
}

// Gives the signature, then breaks.
class BrokenSource final : public platform::ByteSource {
 public:
  explicit BrokenSource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (sniffed_) throw std::runtime_error("disk");
    sniffed_ = true;
    return platform::MemorySource(std::as_bytes(std::span(bytes_))).read_at(offset, into);
  }

 private:
  std::string bytes_;
  bool sniffed_ = false;
};

TEST(ImageSize, a_broken_source_is_not_mistaken_for_a_broken_image) {
  for (const Sample& sample : samples()) {
    BrokenSource source(sample.bytes);
    EXPECT_THROW(static_cast<void>(probe_image(source)), std::runtime_error) << sample.name;
  }
}

TEST(ImageSize, content_types_are_compared_with_what_lies_there) {
  EXPECT_TRUE(claims_format("image/png", ImageFormat::png));
  EXPECT_TRUE(claims_format("IMAGE/JPG ; q=1", ImageFormat::jpeg));
  EXPECT_TRUE(claims_format("image/x-ms-bmp", ImageFormat::bmp));
  EXPECT_FALSE(claims_format("image/png", ImageFormat::jpeg));
  EXPECT_FALSE(claims_format("", ImageFormat::webp));
  EXPECT_FALSE(claims_format("image/png2", ImageFormat::png));
  EXPECT_EQ(media_type(ImageFormat::tiff), "image/tiff");
}

}  // namespace
}  // namespace annolog::workers::image_size_test
