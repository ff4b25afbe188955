#include "workers/media/png_input.hpp"

#include <csetjmp>
#include <cstddef>
#include <span>

namespace annolog::workers::media {
namespace {

std::size_t read_noexcept(PngInput& input, std::span<std::byte> into) noexcept {
  try {
    return input.source.read_at(input.offset, into);
  } catch (...) {
    input.broken = std::current_exception();
    return 0;
  }
}

void on_read(png_structp png, png_bytep data, png_size_t length) {
  auto& input = *static_cast<PngInput*>(::png_get_io_ptr(png));
  const std::size_t count = read_noexcept(input, std::as_writable_bytes(std::span(data, length)));
  input.offset += count;
  if (count != length) ::png_error(png, "end of file");
}

[[noreturn]] void on_error(png_structp png, png_const_charp) { ::png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

}  // namespace

bool visit_png(PngInput& input, VisitPng visit, void* context) {
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
  ::png_set_read_fn(png, &input, on_read);
  ::png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // the caller has the say
  visit(png, info, context);
  ::png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

}  // namespace annolog::workers::media
