// EXIF's orientation: tag 274 of the first directory of a little TIFF file (EXIF 2.3, 4.6.4).
#include <algorithm>

#include "workers/media/decoders.hpp"

namespace annolog::workers::media {
namespace {

class ExifReader {
 public:
  explicit ExifReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    big_endian_ = bytes.size() >= 2 && bytes[0] == 'M';
  }
  // 0 past the end.
  std::uint32_t number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || bytes_.size() - at < count) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t byte = bytes_[at + (big_endian_ ? i : count - 1 - i)];
      value = (value << 8) | byte;
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool big_endian_ = false;
};

}  // namespace

int exif_orientation(std::span<const std::uint8_t> tiff) {
  constexpr std::size_t kEntryBytes = 12;
  constexpr std::uint32_t kOrientation = 274;
  const ExifReader reader(tiff);
  if (reader.number(2, 2) != 42) return 1;
  const std::size_t directory = reader.number(4, 4);
  const std::uint32_t entries = std::min<std::uint32_t>(reader.number(directory, 2), 200);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (reader.number(entry, 2) != kOrientation) continue;
    const auto value = static_cast<int>(reader.number(entry + 8, 2));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

std::vector<std::uint8_t> read_whole(BudgetedSource& source, std::uint64_t most_bytes) {
  if (source.size_bytes() > most_bytes) return {};
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(source.size_bytes()));
  bytes.resize(source.read_at(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace annolog::workers::media
