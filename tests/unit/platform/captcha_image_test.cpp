#include "platform/captcha_image.hpp"

#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace annolog::platform::captcha_image_test {
namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};

cairo_status_t take_bytes(void* rest, unsigned char* into, unsigned int count) {
  auto& bytes = *static_cast<std::string_view*>(rest);
  if (bytes.size() < count) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(into, bytes.data(), count);
  bytes.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

// A picture as Cairo reads it.
class Picture {
 public:
  explicit Picture(std::string_view png)
      : surface_(cairo_image_surface_create_from_png_stream(take_bytes, &png)) {
    if (cairo_surface_status(surface_.get()) != CAIRO_STATUS_SUCCESS || !png.empty()) {
      throw std::runtime_error("no PNG");
    }
  }
  cairo_format_t format() const { return cairo_image_surface_get_format(surface_.get()); }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }

  // 0 is black, 255 white.
  int lightness(int x, int y) const {
    const unsigned char* const pixel = cairo_image_surface_get_data(surface_.get()) +
                                       y * cairo_image_surface_get_stride(surface_.get()) + x * 4;
    return (pixel[0] + pixel[1] + pixel[2]) / 3;
  }
  bool is_ink(int x, int y) const { return lightness(x, y) < 128; }

  // Ink of a character: the curves are thinner than this block.
  bool is_stroke(int x, int y) const {
    constexpr int kBlock = 4;
    if (x + kBlock > width() || y + kBlock > height()) return false;
    for (int i = 0; i < kBlock * kBlock; ++i) {
      if (!is_ink(x + i % kBlock, y + i / kBlock)) return false;
    }
    return true;
  }

  template <class Test>
  int count(Test test) const {
    int found = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) found += test(x, y) ? 1 : 0;
    }
    return found;
  }

 private:
  std::unique_ptr<cairo_surface_t, Destroy> surface_;
};

struct Extent {
  int left = kCaptchaWidth;
  int right = -1;
  int top = kCaptchaHeight;
  int bottom = -1;
  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
};

Extent stroke_extent(const Picture& picture) {
  Extent extent;
  picture.count([&](int x, int y) {
    if (!picture.is_stroke(x, y)) return false;
    extent = {std::min(extent.left, x), std::max(extent.right, x), std::min(extent.top, y),
              std::max(extent.bottom, y)};
    return true;
  });
  return extent;
}

TEST(CaptchaImage, is_an_opaque_png_of_its_size) {
  const std::string png = captcha_png("AEH93", 1);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.at(25), 2);  // colours without transparency
  EXPECT_EQ(png.find("tRNS"), std::string::npos);
  EXPECT_LT(png.size(), 32'768U);
  const Picture picture(png);
  EXPECT_EQ(picture.format(), CAIRO_FORMAT_RGB24);
  EXPECT_EQ(picture.width(), 200);
  EXPECT_EQ(picture.height(), 70);
}

TEST(CaptchaImage, the_same_seed_gives_the_same_bytes_and_another_seed_another_picture) {
  EXPECT_EQ(captcha_png("KMNRT", 7), captcha_png("KMNRT", 7));
  EXPECT_NE(captcha_png("KMNRT", 7), captcha_png("KMNRT", 8));
  EXPECT_NE(captcha_png("KMNRT", 7), captcha_png("KMNRA", 7));
}

TEST(CaptchaImage, the_alphabet_has_no_two_characters_that_are_mistaken_for_each_other) {
  for (const std::string_view alike :
       {"0ODQ", "CGE", "1ILJ", "2Z", "5S", "8B", "6G", "UV", "4A", "7T", "EF", "PR", "VW", "9Q"}) {
    const auto is_used = [](char one) { return kCaptchaAlphabet.find(one) != std::string::npos; };
    EXPECT_LE(std::ranges::count_if(alike, is_used), 1) << alike;
  }
  std::string sorted(kCaptchaAlphabet);
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
  EXPECT_TRUE(std::ranges::all_of(
      sorted, [](char one) { return (one >= '0' && one <= '9') || (one >= 'A' && one <= 'Z'); }));
}

TEST(CaptchaImage, every_character_leaves_ink_of_a_readable_size) {
  for (const char character : kCaptchaAlphabet) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(std::string(1, character) + " " + std::to_string(seed));
      const Picture picture(captcha_png(std::string(1, character), seed));
      const int strokes = picture.count([&](int x, int y) { return picture.is_stroke(x, y); });
      EXPECT_GE(strokes, 90);
      const Extent extent = stroke_extent(picture);
      EXPECT_GE(extent.width(), 16);
      EXPECT_LE(extent.width(), 65);
      EXPECT_GE(extent.height(), 24);
      EXPECT_LE(extent.height(), 60);
    }
  }
}

TEST(CaptchaImage, the_characters_share_the_picture_and_leave_it_light) {
  constexpr int kCharacters = 5;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::string answer;
    for (std::uint32_t i = 0; i < kCharacters; ++i) {
      answer += kCaptchaAlphabet[(seed + i * 3) % kCaptchaAlphabet.size()];
    }
    const Picture picture(captcha_png(answer, seed));
    const Extent extent = stroke_extent(picture);
    EXPECT_GE(extent.width(), kCaptchaWidth / 2);
    for (int part = 0; part < kCharacters; ++part) {
      const int from = extent.left + extent.width() * part / kCharacters;
      const int to = extent.left + extent.width() * (part + 1) / kCharacters;
      EXPECT_GE(picture.count(
                    [&](int x, int y) { return x >= from && x < to && picture.is_stroke(x, y); }),
                40)
          << part;
    }
    const int light = picture.count([&](int x, int y) { return picture.lightness(x, y) > 150; });
    EXPECT_GE(light, kCaptchaWidth * kCaptchaHeight * 6 / 10);
  }
}

TEST(CaptchaImage, ink_stays_off_the_border) {
  constexpr int kBorder = 5;
  for (const char* const answer : {"A", "WWWWWW", "MMMMMM", "KXYEH", "9", "3333"}) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      const Picture picture(captcha_png(answer, seed));
      const int outside = picture.count([&](int x, int y) {
        const bool is_inside = x >= kBorder && x < kCaptchaWidth - kBorder && y >= kBorder &&
                               y < kCaptchaHeight - kBorder;
        return !is_inside && picture.is_ink(x, y);
      });
      EXPECT_EQ(outside, 0) << answer << " " << seed;
    }
  }
}

TEST(CaptchaImage, curves_run_from_side_to_side) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Picture picture(captcha_png("Y", seed));
    int columns = 0;
    for (int x = 0; x < picture.width(); ++x) {
      const int ink = picture.count([&](int i, int y) { return i == x && picture.is_ink(x, y); });
      columns += ink > 0 ? 1 : 0;
    }
    EXPECT_GE(columns, kCaptchaWidth * 8 / 10) << seed;
  }
}

TEST(CaptchaImage, another_answer_is_refused) {
  for (const std::string& bad :
       {std::string(), std::string(kCaptchaMaxCharacters + 1, 'A'), std::string("a"),
        std::string("AOA"), std::string("A A"), std::string("\xc3\x84"), std::string(1, '\0')}) {
    EXPECT_THROW((void)captcha_png(bad, 1), std::invalid_argument) << bad;
  }
}

TEST(CaptchaImage, threads_draw_at_once) {
  constexpr std::uint32_t kThreads = 8;
  constexpr std::uint32_t kEach = 10;
  std::vector<std::string> drawn(kThreads * kEach);
  {
    std::latch start(kThreads);
    std::vector<std::jthread> threads;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        start.arrive_and_wait();
        for (std::uint32_t i = thread * kEach; i < (thread + 1) * kEach; ++i) {
          drawn[i] = captcha_png("HKMNR", i);
        }
      });
    }
  }
  for (std::uint32_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i], captcha_png("HKMNR", i));
}

}  // namespace
}  // namespace annolog::platform::captcha_image_test
