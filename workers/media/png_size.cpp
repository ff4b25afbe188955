// PNG through libpng, up to the first pixel data. All optional chunks are passed over unread, so
// nothing is decompressed.
#include "workers/media/header_readers.hpp"
#include "workers/media/png_input.hpp"

namespace annolog::workers::media {
namespace {

void read_size(png_structp png, png_infop info, void* size) {
  ::png_set_chunk_malloc_max(png, 64 * 1024);
  ::png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  ::png_read_info(png, info);
  *static_cast<Dimensions*>(size) = {::png_get_image_width(png, info),
                                     ::png_get_image_height(png, info)};
}

}  // namespace

std::optional<Dimensions> read_png(BudgetedSource& source) {
  PngInput input{.source = source};
  Dimensions size;
  const bool read = visit_png(input, read_size, &size);
  if (input.broken) std::rethrow_exception(input.broken);
  if (!read) return std::nullopt;
  return size;
}

}  // namespace annolog::workers::media
