// JPEG through libjpeg, up to the first scan: metadata segments are jumped over, not read. libjpeg
// leaves by longjmp: between setjmp and the jump there are only plain values, and an exception of
// the source waits in the state until libjpeg is out of the way.
#include <array>
#include <csetjmp>

#include "workers/media/header_readers.hpp"
#include "workers/media/jpeg_input.hpp"

namespace annolog::workers::media {
namespace {

struct SizeState {
  // All that changes between setjmp and longjmp lives here, outside the frame that calls setjmp.
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  JpegInput input{};
  std::jmp_buf leave;
  std::array<JOCTET, 4096> buffer{};
  Dimensions size;
};

SizeState& size_state_of(j_common_ptr jpeg) { return *static_cast<SizeState*>(jpeg->client_data); }

[[noreturn]] void on_size_error(j_common_ptr jpeg) { std::longjmp(size_state_of(jpeg).leave, 1); }

bool run(SizeState& state) {
  jpeg_decompress_struct& jpeg = state.jpeg;
  handle_errors(jpeg, state.errors, on_size_error);
  jpeg.client_data = &state;
  if (setjmp(state.leave) != 0) {
    ::jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.client_data = &state;
  jpeg.mem->max_memory_to_use = 1 << 20;
  read_from(jpeg, state.input);
  const bool read = ::jpeg_read_header(&jpeg, TRUE) == JPEG_HEADER_OK;
  state.size = {jpeg.image_width, jpeg.image_height};
  ::jpeg_destroy_decompress(&jpeg);
  return read;
}

}  // namespace

std::optional<Dimensions> read_jpeg(BudgetedSource& source) {
  SizeState state;
  state.input.source = &source;
  state.input.buffer = state.buffer;
  const bool read = run(state);
  if (state.input.broken) std::rethrow_exception(state.input.broken);
  if (!read) return std::nullopt;
  return state.size;
}

}  // namespace annolog::workers::media
