#include "workers/media/row_scaler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace annolog::workers::media {
namespace {

constexpr std::size_t kChannels = 4;
constexpr std::uint32_t kRowsBetweenLooks = 16;  // at the clock

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

}  // namespace

Fitted fit(std::uint32_t width, std::uint32_t height, std::uint32_t longest) {
  const std::uint32_t side = std::max(width, height);
  if (side <= longest) return {width, height};
  const auto shrink = [&](std::uint64_t length) {
    const std::uint64_t shrunk = (length * longest + side / 2) / side;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(shrunk, 1));
  };
  return {shrink(width), shrink(height)};
}

// Targets are no more than sources, so a source lies in one target or in two neighbours.
RowScaler::Share RowScaler::share_of(std::uint64_t at, std::uint64_t source, std::uint64_t target) {
  const std::uint64_t begin = at * target;
  const std::uint64_t end = begin + target;
  const std::uint64_t cell = begin / source;
  const std::uint64_t border = (cell + 1) * source;
  const auto part = [&](std::uint64_t length) {
    return static_cast<float>(static_cast<double>(length) / static_cast<double>(source));
  };
  Share share{static_cast<std::uint32_t>(cell), part(std::min(end, border) - begin), 0};
  if (end > border) share.next = part(end - border);
  return share;
}

void RowScaler::begin(std::uint32_t width, std::uint32_t height) {
  width_ = width;
  height_ = height;
  row_ = 0;
  target_row_ = 0;
  const Fitted size = fit(width, height, longest_);
  result_ = {size.width, size.height, {}};
  result_.rgba.resize(std::size_t{size.width} * size.height * kChannels);
  shares_.resize(width);
  for (std::uint32_t x = 0; x < width; ++x) shares_[x] = share_of(x, width, size.width);
  // One more column: the last source's share of what is behind is nothing, and written too.
  line_.assign((std::size_t{size.width} + 1) * kChannels, 0);
  sum_.assign(line_.size(), 0);
}

bool RowScaler::add(const std::uint8_t* rgba) noexcept {
  if (row_ >= height_) return true;
  if (row_ % kRowsBetweenLooks == 0 && is_late()) return false;
  std::fill(line_.begin(), line_.end(), 0.0F);
  for (std::uint32_t x = 0; x < width_; ++x) {
    const std::uint8_t* const pixel = rgba + std::size_t{x} * kChannels;
    const Share& share = shares_[x];
    const float opacity = static_cast<float>(pixel[3]) / 255.0F;
    float* const into = line_.data() + std::size_t{share.target} * kChannels;
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = static_cast<float>(pixel[c]) * opacity;
      into[c] += value * share.here;
      into[c + kChannels] += value * share.next;
    }
    into[3] += opacity * share.here;
    into[3 + kChannels] += opacity * share.next;
  }
  const Share share = share_of(row_, height_, result_.height);
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += line_[i] * share.here;
  ++row_;
  const std::uint64_t reached = std::uint64_t{row_} * result_.height;
  if (reached >= (std::uint64_t{target_row_} + 1) * height_) {
    finish_row();
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] = line_[i] * share.next;
  }
  return true;
}

void RowScaler::finish_row() noexcept {
  std::uint8_t* out = result_.rgba.data() + std::size_t{target_row_} * result_.width * kChannels;
  for (std::uint32_t x = 0; x < result_.width; ++x, out += kChannels) {
    const float* const from = sum_.data() + std::size_t{x} * kChannels;
    const float opacity = from[3];
    for (std::size_t c = 0; c < 3; ++c) out[c] = opacity > 0 ? to_byte(from[c] / opacity) : 0;
    out[3] = to_byte(opacity * 255.0F);
  }
  ++target_row_;
}

Pixels turned(Pixels pixels, int orientation) {
  if (orientation < 2 || orientation > 8) return pixels;
  const bool swaps = orientation >= 5;
  Pixels out{swaps ? pixels.height : pixels.width, swaps ? pixels.width : pixels.height, {}};
  out.rgba.resize(pixels.rgba.size());
  // Where the first stored row and the first stored column are, seen rightly (EXIF 2.3, tag 274).
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  for (std::uint32_t y = 0; y < pixels.height; ++y) {
    for (std::uint32_t x = 0; x < pixels.width; ++x) {
      std::uint32_t to_x = swaps ? y : x;
      std::uint32_t to_y = swaps ? x : y;
      if (from_right) to_x = out.width - 1 - to_x;
      if (from_bottom) to_y = out.height - 1 - to_y;
      const auto* const from = &pixels.rgba[(std::size_t{y} * pixels.width + x) * kChannels];
      std::copy_n(from, kChannels, &out.rgba[(std::size_t{to_y} * out.width + to_x) * kChannels]);
    }
  }
  return out;
}

}  // namespace annolog::workers::media
