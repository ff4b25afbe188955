// What an export left out, because its format can't hold it, told as JSON: {"images": N,
// "annotations_left_out": N, "first": [{"code", "image_id", "annotations_left_out"}, ...]}. The
// counts are exact; the list ends after the first 1,000 images. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"

namespace annolog::workers {

class LeftOut {
 public:
  // Annotations of an image: of a kind that the format has not, and that lack its size to be
  // placed.
  struct Counts {
    std::int64_t unfit = 0;
    std::int64_t unplaced = 0;
  };
  // Once for each image; none of both is no news.
  void add(TaskId image, const Counts& counts);
  bool empty() const { return images_ == 0; }
  std::uint64_t annotations() const { return static_cast<std::uint64_t>(annotations_); }
  void append_json(std::string& out) const;

 private:
  void list(std::string_view code, TaskId image, std::int64_t annotations);

  std::int64_t images_ = 0;
  std::int64_t annotations_ = 0;
  std::string first_;
};

}  // namespace annolog::workers
