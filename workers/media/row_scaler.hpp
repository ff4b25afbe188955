// Shrinks an image row by row, so that a hundred million pixels need no more memory than a few rows
// of the result: each target pixel is the mean of what lies under it, weighted by opacity. Also the
// clock of a decoder: a row that comes too late is refused. One thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace annolog::workers::media {

// Pixels of four bytes: red, green, blue, opacity (not premultiplied).
struct Pixels {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgba;
};

struct Fitted {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
// The size whose longest side is at most `longest`; never larger than it was, never empty.
Fitted fit(std::uint32_t width, std::uint32_t height, std::uint32_t longest);

class RowScaler {
 public:
  using Clock = std::chrono::steady_clock;
  // `given_up`, when there is one, ends it at any time.
  RowScaler(std::uint32_t longest, Clock::time_point until,
            const std::atomic<bool>* given_up = nullptr)
      : longest_(longest), until_(until), given_up_(given_up) {}

  // Once, before the first row. May throw std::bad_alloc; the rest does not throw.
  void begin(std::uint32_t width, std::uint32_t height);
  // The next row, of width x 4 bytes. False: the time is over.
  bool add(const std::uint8_t* rgba) noexcept;
  bool is_late() const noexcept {
    return Clock::now() > until_ || (given_up_ != nullptr && *given_up_);
  }
  bool is_whole() const { return height_ > 0 && row_ == height_; }

  std::uint32_t longest() const { return longest_; }
  Pixels take() { return std::move(result_); }

 private:
  struct Share {
    std::uint32_t target = 0;
    float here = 0;  // of the target pixel
    float next = 0;  // of the one behind it
  };
  static Share share_of(std::uint64_t at, std::uint64_t source, std::uint64_t target);
  void finish_row() noexcept;

  const std::uint32_t longest_;
  const Clock::time_point until_;
  const std::atomic<bool>* const given_up_;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t row_ = 0;
  std::uint32_t target_row_ = 0;
  std::vector<Share> shares_;  // by column
  std::vector<float> line_;    // this row, shrunk in width
  std::vector<float> sum_;     // of the target row
  Pixels result_;
};

// As EXIF's orientation (1 to 8) says the picture is to be seen.
Pixels turned(Pixels pixels, int orientation);

}  // namespace annolog::workers::media
