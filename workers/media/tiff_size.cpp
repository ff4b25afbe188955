// TIFF and BigTIFF through libtiff: the header and the first directory, nothing else. No mapping,
// strip tables left alone, no allocation above 1 MiB, and no message on the terminal.
#include <tiffio.h>

#include <cstdio>  // SEEK_SET
#include <exception>
#include <memory>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {
namespace {

struct State {
  BudgetedSource* source = nullptr;
  std::uint64_t offset = 0;
  std::exception_ptr broken;  // of the source; waits until libtiff is out of the way
};

State& state_of(thandle_t handle) { return *static_cast<State*>(handle); }

tmsize_t on_read(thandle_t handle, void* data, tmsize_t length) {
  State& state = state_of(handle);
  try {
    const std::span into(static_cast<std::byte*>(data), static_cast<std::size_t>(length));
    const std::size_t count = state.source->read_at(state.offset, into);
    state.offset += count;
    return static_cast<tmsize_t>(count);
  } catch (...) {
    state.broken = std::current_exception();
    return 0;
  }
}

tmsize_t on_write(thandle_t, void*, tmsize_t) { return 0; }

toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
  State& state = state_of(handle);
  if (whence == SEEK_CUR) offset += state.offset;
  if (whence == SEEK_END) offset += state.source->size_bytes();
  state.offset = offset;
  return offset;
}

int on_close(thandle_t) { return 0; }
toff_t on_size(thandle_t handle) { return state_of(handle).source->size_bytes(); }
int on_map(thandle_t, void**, toff_t*) { return 0; }
void on_unmap(thandle_t, void*, toff_t) {}
int on_message(TIFF*, void*, const char*, const char*, va_list) { return 1; }  // 1: handled

std::optional<Dimensions> run(State& state) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&::TIFFOpenOptionsFree)> options(
      ::TIFFOpenOptionsAlloc(), ::TIFFOpenOptionsFree);
  if (!options) return std::nullopt;
  ::TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), 1 << 20);
  ::TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_message, nullptr);
  ::TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_message, nullptr);
  const std::unique_ptr<TIFF, decltype(&::TIFFClose)> tiff(
      ::TIFFClientOpenExt("image", "rmD", &state, on_read, on_write, on_seek, on_close, on_size,
                          on_map, on_unmap, options.get()),
      ::TIFFClose);
  if (!tiff) return std::nullopt;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (::TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      ::TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1)
    return std::nullopt;
  return Dimensions{width, height};
}

}  // namespace

std::optional<Dimensions> read_tiff(BudgetedSource& source) {
  State state;
  state.source = &source;
  const auto size = run(state);
  if (state.broken) std::rethrow_exception(state.broken);
  return size;
}

}  // namespace annolog::workers::media
