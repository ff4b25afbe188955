// The pixels of a PNG through libpng, a row at a time; interlaced ones whole.
#include <new>

#include "workers/media/decoders.hpp"
#include "workers/media/png_input.hpp"

namespace annolog::workers::media {
namespace {

struct PngState {
  Decoding& on;
  std::vector<std::uint8_t> pixels = {};  // a row, or all of an interlaced image
  Decoded outcome = Decoded::damaged;
};

bool make_room(PngState& state, std::uint64_t bytes, png_uint_32 width,
               png_uint_32 height) noexcept {
  try {
    state.pixels.resize(static_cast<std::size_t>(bytes));
    state.on.rows.begin(width, height);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Decoded read_rows(png_structp png, PngState& state, png_uint_32 height) {
  for (png_uint_32 y = 0; y < height; ++y) {
    ::png_read_row(png, state.pixels.data(), nullptr);
    if (!state.on.rows.add(state.pixels.data())) return Decoded::late;
  }
  return Decoded::whole;
}

Decoded read_passes(png_structp png, PngState& state, png_uint_32 height, int passes) {
  const std::size_t stride = state.pixels.size() / height;
  for (int pass = 0; pass < passes; ++pass) {
    if (state.on.rows.is_late()) return Decoded::late;
    for (png_uint_32 y = 0; y < height; ++y)
      ::png_read_row(png, state.pixels.data() + y * stride, nullptr);
  }
  for (png_uint_32 y = 0; y < height; ++y) {
    if (!state.on.rows.add(state.pixels.data() + y * stride)) return Decoded::late;
  }
  return Decoded::whole;
}

Decoded read_image(png_structp png, png_infop info, PngState& state) {
  ::png_set_chunk_malloc_max(png, 1 << 20);
  ::png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  ::png_read_info(png, info);
  const png_uint_32 width = ::png_get_image_width(png, info);
  const png_uint_32 height = ::png_get_image_height(png, info);
  ::png_set_expand(png);
  ::png_set_scale_16(png);
  ::png_set_gray_to_rgb(png);
  ::png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
  const int passes = ::png_set_interlace_handling(png);
  ::png_read_update_info(png, info);
  if (::png_get_rowbytes(png, info) != std::size_t{width} * 4) return Decoded::unsupported;
  const std::uint64_t bytes = std::uint64_t{width} * 4 * (passes > 1 ? height : 1);
  if (bytes > state.on.memory_bytes || !make_room(state, bytes, width, height))
    return Decoded::too_big;
  return passes > 1 ? read_passes(png, state, height, passes) : read_rows(png, state, height);
}

void decode(png_structp png, png_infop info, void* context) {
  auto& state = *static_cast<PngState*>(context);
  state.outcome = read_image(png, info, state);
}

}  // namespace

Decoded decode_png(Decoding& on) {
  PngInput input{.source = on.source};
  PngState state{.on = on};
  visit_png(input, decode, &state);
  if (input.broken) std::rethrow_exception(input.broken);
  return state.outcome;
}

}  // namespace annolog::workers::media
