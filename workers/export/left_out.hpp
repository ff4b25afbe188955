// What an export left out, because its format can't hold it, told as JSON: {"images": N,
// "annotations_left_out": N, "first": [{"code", "image_id", "annotations_left_out"}, ...]}. The
// counts are exact; the list ends after the first 1,000. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"

namespace annolog::workers {

class LeftOut {
 public:
  static constexpr std::string_view kShape = "SHAPE_NOT_SUPPORTED";
  static constexpr std::string_view kSize = "IMAGE_SIZE_UNKNOWN";

  // `annotations` of the image; none is no news.
  void add(std::string_view code, TaskId image, std::int64_t annotations);
  bool empty() const { return images_ == 0; }
  std::uint64_t annotations() const { return static_cast<std::uint64_t>(annotations_); }
  void append_json(std::string& out) const;

 private:
  std::int64_t images_ = 0;  // an image with two codes counts twice
  std::int64_t annotations_ = 0;
  std::string first_;
};

}  // namespace annolog::workers
