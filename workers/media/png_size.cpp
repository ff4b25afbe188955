// PNG through libpng, up to the first pixel data. All optional chunks are passed over unread, so
// nothing is decompressed. libpng leaves by longjmp: between setjmp and the jump there are only
// plain values, and an exception of the source waits in the state until libpng is out of the way.
#include <png.h>

#include <csetjmp>
#include <exception>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {
namespace {

struct State {
  BudgetedSource* source = nullptr;
  std::uint64_t offset = 0;
  std::exception_ptr broken;
  Dimensions size;
};

std::size_t read_noexcept(State& state, std::span<std::byte> into) noexcept {
  try {
    return state.source->read_at(state.offset, into);
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

bool run(State& state) {
  png_structp png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  if (png == nullptr) return false;
  png_infop info = ::png_create_info_struct(png);
  if (info == nullptr) {
    ::png_destroy_read_struct(&png, nullptr, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    ::png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  ::png_set_read_fn(png, &state, on_read);
  ::png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // probe_image() has the say
  ::png_set_chunk_malloc_max(png, 64 * 1024);
  ::png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  ::png_read_info(png, info);
  state.size.width = ::png_get_image_width(png, info);
  state.size.height = ::png_get_image_height(png, info);
  ::png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

}  // namespace

std::optional<Dimensions> read_png(BudgetedSource& source) {
  State state;
  state.source = &source;
  const bool read = run(state);
  if (state.broken) std::rethrow_exception(state.broken);
  if (!read) return std::nullopt;
  return state.size;
}

}  // namespace annolog::workers::media
