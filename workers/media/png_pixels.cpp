// The pixels of a PNG through libpng, a row at a time; interlaced ones whole. libpng leaves by
// longjmp: between setjmp and the jump there are only plain values, and an exception waits in the
// state until libpng is out of the way.
#include <png.h>

#include <csetjmp>
#include <exception>
#include <new>

#include "workers/media/decoders.hpp"

namespace annolog::workers::media {
namespace {

struct State {
  Decoding* on = nullptr;
  std::uint64_t offset = 0;
  std::exception_ptr broken;
  std::vector<std::uint8_t> pixels;  // a row, or all of an interlaced image
  Decoded outcome = Decoded::damaged;
};

std::size_t read_noexcept(State& state, std::span<std::byte> into) noexcept {
  try {
    return state.on->source.read_at(state.offset, into);
  } catch (...) {
    state.broken = std::current_exception();
    return 0;
  }
}

void on_read(png_structp png, png_bytep data, png_size_t length) {
  auto& state = *static_cast<State*>(::png_get_io_ptr(png));
  const std::size_t count = read_noexcept(state, std::as_writable_bytes(std::span(data, length)));
  state.offset += count;
  if (count != length) ::png_error(png, "end of file");
}

[[noreturn]] void on_error(png_structp png, png_const_charp) { ::png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

bool make_room(State& state, std::uint64_t bytes, png_uint_32 width, png_uint_32 height) noexcept {
  try {
    state.pixels.resize(static_cast<std::size_t>(bytes));
    state.on->rows.begin(width, height);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Decoded read_rows(png_structp png, State& state, png_uint_32 height) {
  for (png_uint_32 y = 0; y < height; ++y) {
    ::png_read_row(png, state.pixels.data(), nullptr);
    if (!state.on->rows.add(state.pixels.data())) return Decoded::late;
  }
  return Decoded::whole;
}

Decoded read_passes(png_structp png, State& state, png_uint_32 height, int passes) {
  const std::size_t stride = state.pixels.size() / height;
  for (int pass = 0; pass < passes; ++pass) {
    if (state.on->rows.is_late()) return Decoded::late;
    for (png_uint_32 y = 0; y < height; ++y)
      ::png_read_row(png, state.pixels.data() + y * stride, nullptr);
  }
  for (png_uint_32 y = 0; y < height; ++y) {
    if (!state.on->rows.add(state.pixels.data() + y * stride)) return Decoded::late;
  }
  return Decoded::whole;
}

Decoded read_image(png_structp png, png_infop info, State& state) {
  ::png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // make_thumbnail() has the say
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
  if (bytes > state.on->memory_bytes || !make_room(state, bytes, width, height))
    return Decoded::too_big;
  return passes > 1 ? read_passes(png, state, height, passes) : read_rows(png, state, height);
}

void run(State& state) {
  png_structp png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  if (png == nullptr) return;
  png_infop info = ::png_create_info_struct(png);
  if (info == nullptr) {
    ::png_destroy_read_struct(&png, nullptr, nullptr);
    return;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    ::png_destroy_read_struct(&png, &info, nullptr);
    return;
  }
  ::png_set_read_fn(png, &state, on_read);
  state.outcome = read_image(png, info, state);
  ::png_destroy_read_struct(&png, &info, nullptr);
}

}  // namespace

Decoded decode_png(Decoding& on) {
  State state;
  state.on = &on;
  run(state);
  if (state.broken) std::rethrow_exception(state.broken);
  return state.outcome;
}

}  // namespace annolog::workers::media
