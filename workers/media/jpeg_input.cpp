#include "workers/media/jpeg_input.hpp"

#include <jerror.h>

namespace annolog::workers::media {
namespace {

JpegInput& input_of(j_decompress_ptr jpeg) { return *static_cast<JpegInput*>(jpeg->src); }

void on_message(j_common_ptr, int) {}
void on_output(j_common_ptr) {}
void on_start(j_decompress_ptr) {}
void on_end(j_decompress_ptr) {}

std::size_t fill_noexcept(JpegInput& input) noexcept {
  try {
    return input.source->read_at(input.offset, std::as_writable_bytes(input.buffer));
  } catch (...) {
    input.broken = std::current_exception();
    return 0;
  }
}

boolean on_fill(j_decompress_ptr jpeg) {
  JpegInput& input = input_of(jpeg);
  const std::size_t count = fill_noexcept(input);
  if (count == 0) ERREXIT(jpeg, JERR_INPUT_EOF);
  input.offset += count;
  input.next_input_byte = input.buffer.data();
  input.bytes_in_buffer = count;
  return TRUE;
}

void on_skip(j_decompress_ptr jpeg, long count) {
  JpegInput& input = input_of(jpeg);
  if (count <= 0) return;
  const auto skip = static_cast<std::size_t>(count);
  const std::size_t here = input.bytes_in_buffer;
  if (skip <= here) {
    input.next_input_byte += skip;
    input.bytes_in_buffer -= skip;
    return;
  }
  input.offset += skip - here;
  input.bytes_in_buffer = 0;
}

}  // namespace

void read_from(jpeg_decompress_struct& jpeg, JpegInput& input) {
  input.init_source = on_start;
  input.fill_input_buffer = on_fill;
  input.skip_input_data = on_skip;
  input.resync_to_restart = ::jpeg_resync_to_restart;
  input.term_source = on_end;
  jpeg.src = &input;
}

void handle_errors(jpeg_decompress_struct& jpeg, jpeg_error_mgr& errors,
                   void (*on_error)(j_common_ptr)) {
  jpeg.err = ::jpeg_std_error(&errors);
  errors.error_exit = on_error;
  errors.emit_message = on_message;
  errors.output_message = on_output;
}

}  // namespace annolog::workers::media
