// JPEG through libjpeg, up to the first scan: metadata segments are jumped over, not read. libjpeg
// leaves by longjmp: between setjmp and the jump there are only plain values, and an exception of
// the source waits in the state until libjpeg is out of the way.
#include <cstdio>  // jpeglib.h needs FILE
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <exception>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {
namespace {

struct State {
  // All that changes between setjmp and longjmp lives here, outside the frame that calls setjmp.
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_source_mgr input{};
  std::jmp_buf leave;
  BudgetedSource* source = nullptr;
  std::uint64_t offset = 0;  // of what the buffer is filled with next
  std::array<JOCTET, 4096> buffer{};
  std::exception_ptr broken;
  Dimensions size;
};

State& state_of(j_common_ptr jpeg) { return *static_cast<State*>(jpeg->client_data); }
State& state_of(j_decompress_ptr jpeg) { return *static_cast<State*>(jpeg->client_data); }

[[noreturn]] void on_error(j_common_ptr jpeg) { std::longjmp(state_of(jpeg).leave, 1); }
void on_message(j_common_ptr, int) {}
void on_output(j_common_ptr) {}
void on_start(j_decompress_ptr) {}
void on_end(j_decompress_ptr) {}

std::size_t fill_noexcept(State& state) noexcept {
  try {
    return state.source->read_at(state.offset, std::as_writable_bytes(std::span(state.buffer)));
  } catch (...) {
    state.broken = std::current_exception();
    return 0;
  }
}

boolean on_fill(j_decompress_ptr jpeg) {
  State& state = state_of(jpeg);
  const std::size_t count = fill_noexcept(state);
  if (count == 0) std::longjmp(state.leave, 1);
  state.offset += count;
  state.input.next_input_byte = state.buffer.data();
  state.input.bytes_in_buffer = count;
  return TRUE;
}

void on_skip(j_decompress_ptr jpeg, long count) {
  State& state = state_of(jpeg);
  if (count <= 0) return;
  const auto skip = static_cast<std::size_t>(count);
  const std::size_t here = state.input.bytes_in_buffer;
  if (skip <= here) {
    state.input.next_input_byte += skip;
    state.input.bytes_in_buffer -= skip;
    return;
  }
  state.offset += skip - here;
  state.input.bytes_in_buffer = 0;
}

bool run(State& state) {
  jpeg_decompress_struct& jpeg = state.jpeg;
  jpeg.err = ::jpeg_std_error(&state.errors);
  state.errors.error_exit = on_error;
  state.errors.emit_message = on_message;
  state.errors.output_message = on_output;
  jpeg.client_data = &state;
  if (setjmp(state.leave) != 0) {
    ::jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.client_data = &state;
  jpeg.mem->max_memory_to_use = 1 << 20;
  state.input.init_source = on_start;
  state.input.fill_input_buffer = on_fill;
  state.input.skip_input_data = on_skip;
  state.input.resync_to_restart = ::jpeg_resync_to_restart;
  state.input.term_source = on_end;
  jpeg.src = &state.input;
  const bool read = ::jpeg_read_header(&jpeg, TRUE) == JPEG_HEADER_OK;
  state.size = {jpeg.image_width, jpeg.image_height};
  ::jpeg_destroy_decompress(&jpeg);
  return read;
}

}  // namespace

std::optional<Dimensions> read_jpeg(BudgetedSource& source) {
  State state;
  state.source = &source;
  const bool read = run(state);
  if (state.broken) std::rethrow_exception(state.broken);
  if (!read) return std::nullopt;
  return state.size;
}

}  // namespace annolog::workers::media
