// The pixels of a WebP through libwebp, which shrinks lossy ones while it decodes. Of an animation,
// the first frame: its chunks are put into a file of their own (WebP container specification).
#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "workers/media/decoders.hpp"

namespace annolog::workers::media {
namespace {

constexpr std::size_t kHeadBytes = 12;  // RIFF, size, WEBP
constexpr std::size_t kChunkHead = 8;   // name, size
constexpr std::size_t kFrameHead = 16;  // place, size, duration, flags
constexpr std::size_t kPieceBytes = 1 << 20;

using Bytes = std::span<const std::uint8_t>;

struct Chunk {
  std::string_view name;
  Bytes body;
  Bytes whole;  // with its head and padding, as far as it is there
};

std::uint32_t little_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = (value << 8) | bytes[at + i];
  return value;
}

// The first chunk that `rest` begins with; `rest` goes on behind it.
std::optional<Chunk> next_chunk(Bytes& rest) {
  if (rest.size() < kChunkHead) return std::nullopt;
  const std::size_t size = little_endian(rest, 4, 4);
  const std::size_t body = std::min(size, rest.size() - kChunkHead);
  const std::size_t whole = std::min(kChunkHead + body + (body & 1), rest.size());
  Chunk chunk{{reinterpret_cast<const char*>(rest.data()), 4},
              rest.subspan(kChunkHead, body),
              rest.first(whole)};
  rest = rest.subspan(whole);
  return chunk;
}

std::optional<Chunk> find_chunk(Bytes file, std::string_view name) {
  if (file.size() < kHeadBytes) return std::nullopt;
  Bytes rest = file.subspan(kHeadBytes);
  while (auto chunk = next_chunk(rest)) {
    if (chunk->name == name) return chunk;
  }
  return std::nullopt;
}

void put(std::vector<std::uint8_t>& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}
void put(std::vector<std::uint8_t>& out, std::size_t value, int count) {
  for (int i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::vector<std::uint8_t> first_frame(Bytes file) {
  const auto frame = find_chunk(file, "ANMF");
  if (!frame || frame->body.size() <= kFrameHead) return {};
  const Bytes picture = frame->body.subspan(kFrameHead);
  std::vector<std::uint8_t> out;
  put(out, "RIFF");
  put(out, 4 + kChunkHead + 10 + picture.size(), 4);
  put(out, "WEBPVP8X");
  put(out, 10, 4);
  constexpr std::uint8_t kHasAlpha = 0x10;
  put(out, kHasAlpha, 4);
  const Bytes size = frame->body.subspan(6, 6);  // width and height, less one
  out.insert(out.end(), size.begin(), size.end());
  out.insert(out.end(), picture.begin(), picture.end());
  return out;
}

int orientation_of(Bytes file) {
  const auto exif = find_chunk(file, "EXIF");
  if (!exif) return 1;
  constexpr std::size_t kMarkBytes = 6;  // some writers put JPEG's "Exif" before it
  const bool marked = exif->body.size() > kMarkBytes && exif->body[0] == 'E';
  return exif_orientation(marked ? exif->body.subspan(kMarkBytes) : exif->body);
}

struct FreeBuffer {
  void operator()(WebPDecBuffer* buffer) const { ::WebPFreeDecBuffer(buffer); }
};

Decoded decode(Decoding& on, Bytes file) {
  WebPDecoderConfig config;
  if (::WebPInitDecoderConfig(&config) == 0) return Decoded::unsupported;
  if (::WebPGetFeatures(file.data(), file.size(), &config.input) != VP8_STATUS_OK)
    return Decoded::damaged;
  const auto width = static_cast<std::uint32_t>(config.input.width);
  const auto height = static_cast<std::uint32_t>(config.input.height);
  constexpr int kLossless = 2;
  const bool whole_in_memory = config.input.format == kLossless;
  if (whole_in_memory && std::uint64_t{width} * height * 4 > on.memory_bytes)
    return Decoded::too_big;
  const Fitted size = fit(width, height, on.rows.longest());
  config.options.use_scaling = 1;
  config.options.scaled_width = static_cast<int>(size.width);
  config.options.scaled_height = static_cast<int>(size.height);
  config.output.colorspace = MODE_RGBA;
  const std::unique_ptr<WebPDecBuffer, FreeBuffer> buffer(&config.output);
  const std::unique_ptr<WebPIDecoder, decltype(&::WebPIDelete)> decoder(
      ::WebPIDecode(nullptr, 0, &config), ::WebPIDelete);
  if (!decoder) return Decoded::too_big;
  VP8StatusCode status = VP8_STATUS_SUSPENDED;
  for (std::size_t at = 0; at < file.size() && status == VP8_STATUS_SUSPENDED;) {
    if (on.rows.is_late()) return Decoded::late;
    at = std::min(at + kPieceBytes, file.size());
    status = ::WebPIUpdate(decoder.get(), file.data(), at);
  }
  if (status == VP8_STATUS_OUT_OF_MEMORY) return Decoded::too_big;
  if (status != VP8_STATUS_OK) return Decoded::damaged;
  on.rows.begin(size.width, size.height);
  const WebPRGBABuffer& pixels = config.output.u.RGBA;
  for (std::uint32_t y = 0; y < size.height; ++y) {
    if (!on.rows.add(pixels.rgba + static_cast<std::ptrdiff_t>(y) * pixels.stride))
      return Decoded::late;
  }
  return Decoded::whole;
}

}  // namespace

Decoded decode_webp(Decoding& on) {
  const auto file = read_whole(on.source, on.memory_bytes);
  if (file.empty()) return on.source.size_bytes() > 0 ? Decoded::too_big : Decoded::damaged;
  on.orientation = orientation_of(file);
  WebPBitstreamFeatures features{};
  if (::WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK)
    return Decoded::damaged;
  return features.has_animation != 0 ? decode(on, first_frame(file)) : decode(on, file);
}

}  // namespace annolog::workers::media
