// Headers of uploaded images: a size within the limits or a refusal, whatever the bytes claim.
#include <span>

#include "tests/fuzz/fuzz.hpp"
#include "workers/media/image_size.hpp"

namespace annolog::fuzz {
namespace {

// Counts what is read: a header that never ends must not keep the probe reading.
class CountingSource final : public platform::ByteSource {
 public:
  explicit CountingSource(std::span<const std::byte> bytes) : memory_(bytes) {}
  std::uint64_t size_bytes() const override { return memory_.size_bytes(); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    const std::size_t count = memory_.read_at(offset, into);
    read_bytes_ += count;
    return count;
  }
  std::uint64_t read_bytes() const { return read_bytes_; }

 private:
  platform::MemorySource memory_;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace

void try_input(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  CountingSource source(bytes);
  const auto size = workers::probe_image(source);
  require(source.read_bytes() <= workers::kMaxHeaderBytes + 4096, "reading is bounded");
  const auto format = workers::sniff_image(bytes.first(std::min<std::size_t>(bytes.size(), 16)));
  if (!size) {
    require(format || size.error().code == "UNKNOWN_IMAGE_FORMAT", "an unknown format is named");
    return;
  }
  const auto [found, width, height] = size.value();
  require(format == found, "the first bytes announce the format");
  require(width >= 1 && width <= workers::kMaxSidePixels, "the width is in its limits");
  require(height >= 1 && height <= workers::kMaxSidePixels, "the height is in its limits");
  require(std::uint64_t{width} * height <= workers::kMaxPixels, "the area is in its limits");
  require(workers::claims_format(workers::media_type(found), found), "a format claims itself");
}

}  // namespace annolog::fuzz
