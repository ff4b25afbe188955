// The readers behind probe_image(), one per format. Each answers width and height, or nullopt when
// the header is damaged, cut short, or longer than the budget. Internal to workers/media; one
// thread per call. No reader checks limits: probe_image() does.
#pragma once

#include <cstdint>
#include <optional>

#include "platform/objects/byte_source.hpp"

namespace annolog::workers::media {

struct Dimensions {
  std::uint64_t width = 0;  // pixels
  std::uint64_t height = 0;
};

// A source that gives at most `budget_bytes` in all, then pretends to end: a header that never
// ends can't keep us reading.
class BudgetedSource {
 public:
  BudgetedSource(platform::ByteSource& source, std::uint64_t budget_bytes)
      : source_(source), left_(budget_bytes) {}

  std::uint64_t size_bytes() const { return source_.size_bytes(); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) {
    if (into.size() > left_) into = into.first(static_cast<std::size_t>(left_));
    const std::size_t count = source_.read_at(offset, into);
    left_ -= count;
    return count;
  }

 private:
  platform::ByteSource& source_;
  std::uint64_t left_;
};

std::optional<Dimensions> read_png(BudgetedSource& source);
std::optional<Dimensions> read_jpeg(BudgetedSource& source);
std::optional<Dimensions> read_webp(BudgetedSource& source);
std::optional<Dimensions> read_gif(BudgetedSource& source);
std::optional<Dimensions> read_bmp(BudgetedSource& source);
std::optional<Dimensions> read_tiff(BudgetedSource& source);

}  // namespace annolog::workers::media
