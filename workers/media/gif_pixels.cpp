// The first picture of a GIF on its screen, by hand (GIF89a specification, 18 to 23 and appendix
// F): giflib is not among the libraries, and the format is small.
#include <algorithm>
#include <array>

#include "workers/media/decoders.hpp"

namespace annolog::workers::media {
namespace {

constexpr std::uint64_t kMostFileBytes = 64U << 20U;
constexpr int kMaxCodes = 4096;

using Bytes = std::span<const std::uint8_t>;

struct Frame {
  std::uint32_t left = 0, top = 0, width = 0, height = 0;
  bool interlaced = false;
  Bytes palette;  // three bytes a colour
  int transparent = -1;
  std::vector<std::uint8_t> indexes;
};

class GifReader {
 public:
  explicit GifReader(Bytes bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return at_end() ? 0 : bytes_[at_++]; }
  std::uint32_t number() {
    const std::uint32_t low = byte();
    return low | (std::uint32_t{byte()} << 8);
  }
  Bytes take(std::size_t count) {
    count = std::min(count, bytes_.size() - std::min(at_, bytes_.size()));
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  void skip_blocks() {
    while (const std::size_t size = byte()) take(size);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

// The bits of a picture's data, which lies in blocks of up to 255 bytes.
class Codes {
 public:
  explicit Codes(GifReader& reader) : reader_(reader) {}
  int next(int width) {  // -1: the end
    while (count_ < width) {
      if (left_ == 0) left_ = reader_.byte();
      if (left_ == 0) return -1;
      --left_;
      bits_ |= std::uint32_t{reader_.byte()} << count_;
      count_ += 8;
    }
    const auto code = static_cast<int>(bits_ & ((1U << width) - 1));
    bits_ >>= width;
    count_ -= width;
    return code;
  }

 private:
  GifReader& reader_;
  std::uint32_t bits_ = 0;
  int count_ = 0;
  int left_ = 0;  // bytes of this block
};

struct Table {
  std::array<std::int16_t, kMaxCodes> prefix{};
  std::array<std::uint8_t, kMaxCodes> last{};
  std::array<std::uint8_t, kMaxCodes + 1> text{};
};

// LZW. What is missing at the end stays index 0; a code out of turn ends it.
void decompress(GifReader& reader, Frame& frame) {
  const int least = reader.byte();
  if (least < 1 || least > 11) return;
  const int clear = 1 << least;
  const int end = clear + 1;
  Table table;
  for (int i = 0; i < clear; ++i)
    table.last[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  Codes codes(reader);
  int width = least + 1, next = end + 1, before = -1;
  std::uint8_t first = 0;
  std::size_t out = 0;
  while (out < frame.indexes.size()) {
    const int code = codes.next(width);
    if (code < 0 || code == end) return;
    if (code == clear) {
      width = least + 1, next = end + 1, before = -1;
      continue;
    }
    if (code > next || (code == next && before < 0)) return;
    int at = code;
    std::size_t length = 0;
    if (code == next) {
      table.text[length++] = first;
      at = before;
    }
    while (at >= clear) {
      table.text[length++] = table.last[static_cast<std::size_t>(at)];
      at = table.prefix[static_cast<std::size_t>(at)];
    }
    first = static_cast<std::uint8_t>(at);
    table.text[length++] = first;
    while (length > 0 && out < frame.indexes.size()) frame.indexes[out++] = table.text[--length];
    if (before >= 0 && next < kMaxCodes) {
      table.prefix[static_cast<std::size_t>(next)] = static_cast<std::int16_t>(before);
      table.last[static_cast<std::size_t>(next)] = first;
      ++next;
      if (next == (1 << width) && width < 12) ++width;
    }
    before = code;
  }
}

// The stored row that is seen as row `y`: four passes, of every 8th, 8th, 4th and 2nd row.
std::uint32_t stored_row(const Frame& frame, std::uint32_t y) {
  if (!frame.interlaced) return y;
  const std::uint32_t h = frame.height;
  if (y % 8 == 0) return y / 8;
  const std::uint32_t first = (h + 7) / 8;
  if (y % 8 == 4) return first + y / 8;
  const std::uint32_t second = first + (h + 3) / 8;
  if (y % 4 == 2) return second + y / 4;
  return second + (h + 1) / 4 + y / 2;
}

Decoded draw(Decoding& on, const Frame& frame, std::uint32_t width, std::uint32_t height) {
  on.rows.begin(width, height);
  std::vector<std::uint8_t> row(std::size_t{width} * 4);
  for (std::uint32_t y = 0; y < height; ++y) {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    const bool inside = y >= frame.top && y - frame.top < frame.height;
    const std::size_t from =
        inside ? std::size_t{stored_row(frame, y - frame.top)} * frame.width : 0;
    for (std::uint32_t x = 0; inside && x < frame.width && frame.left + x < width; ++x) {
      const std::size_t index = frame.indexes[from + x];
      if (static_cast<int>(index) == frame.transparent) continue;
      auto* const pixel = &row[std::size_t{frame.left + x} * 4];
      if (index * 3 + 3 <= frame.palette.size()) std::copy_n(&frame.palette[index * 3], 3, pixel);
      pixel[3] = 255;
    }
    if (!on.rows.add(row.data())) return Decoded::late;
  }
  return Decoded::whole;
}

Bytes palette_of(GifReader& reader, std::uint8_t flags) {
  return (flags & 0x80) != 0 ? reader.take(std::size_t{3} << ((flags & 7) + 1)) : Bytes();
}

}  // namespace

Decoded decode_gif(Decoding& on) {
  const auto file = read_whole(on.source, std::min(kMostFileBytes, on.memory_bytes));
  if (file.empty()) return Decoded::too_big;
  GifReader reader(file);
  reader.take(6);
  const std::uint32_t width = reader.number();
  const std::uint32_t height = reader.number();
  const std::uint8_t flags = reader.byte();
  reader.take(2);
  Frame frame;
  frame.palette = palette_of(reader, flags);
  while (!reader.at_end()) {
    const std::uint8_t kind = reader.byte();
    if (kind == 0x21) {  // extension
      if (reader.byte() == 0xF9) {
        const Bytes control = reader.take(reader.byte());
        if (control.size() >= 4 && (control[0] & 1) != 0) frame.transparent = control[3];
      }
      reader.skip_blocks();
      continue;
    }
    if (kind != 0x2C) return Decoded::damaged;
    frame.left = reader.number();
    frame.top = reader.number();
    frame.width = reader.number();
    frame.height = reader.number();
    const std::uint8_t picture = reader.byte();
    frame.interlaced = (picture & 0x40) != 0;
    if ((picture & 0x80) != 0) frame.palette = palette_of(reader, picture);
    const std::uint64_t pixels = std::uint64_t{frame.width} * frame.height;
    if (pixels == 0 || width == 0 || height == 0) return Decoded::damaged;
    if (pixels > on.memory_bytes) return Decoded::too_big;
    frame.indexes.resize(static_cast<std::size_t>(pixels));
    decompress(reader, frame);
    return draw(on, frame, width, height);
  }
  return Decoded::damaged;
}

}  // namespace annolog::workers::media
