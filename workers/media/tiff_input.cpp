#include "workers/media/tiff_input.hpp"

#include <cstdio>  // SEEK_SET

namespace annolog::workers::media {
namespace {

TiffInput& input_of(thandle_t handle) { return *static_cast<TiffInput*>(handle); }

tmsize_t on_read(thandle_t handle, void* data, tmsize_t length) {
  TiffInput& input = input_of(handle);
  try {
    const std::span into(static_cast<std::byte*>(data), static_cast<std::size_t>(length));
    const std::size_t count = input.source.read_at(input.offset, into);
    input.offset += count;
    return static_cast<tmsize_t>(count);
  } catch (...) {
    input.broken = std::current_exception();
    return 0;
  }
}

tmsize_t on_write(thandle_t, void*, tmsize_t) { return 0; }

toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
  TiffInput& input = input_of(handle);
  if (whence == SEEK_CUR) offset += input.offset;
  if (whence == SEEK_END) offset += input.source.size_bytes();
  input.offset = offset;
  return offset;
}

int on_close(thandle_t) { return 0; }
toff_t on_size(thandle_t handle) { return input_of(handle).source.size_bytes(); }
int on_map(thandle_t, void**, toff_t*) { return 0; }
void on_unmap(thandle_t, void*, toff_t) {}
int on_message(TIFF*, void*, const char*, const char*, va_list) { return 1; }  // 1: handled

}  // namespace

TiffOptions tiff_options(tmsize_t most_bytes) {
  TiffOptions options(::TIFFOpenOptionsAlloc(), ::TIFFOpenOptionsFree);
  if (!options) return options;
  ::TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_bytes);
  ::TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_message, nullptr);
  ::TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_message, nullptr);
  return options;
}

TiffFile open_tiff(TiffInput& input, const char* mode, TIFFOpenOptions* options) {
  return {::TIFFClientOpenExt("image", mode, &input, on_read, on_write, on_seek, on_close, on_size,
                              on_map, on_unmap, options),
          ::TIFFClose};
}

}  // namespace annolog::workers::media
