// The pixels of a JPEG through libjpeg, which shrinks them while it decodes; the orientation from
// the EXIF segment. libjpeg leaves by longjmp: between setjmp and the jump there are only plain
// values, and an exception waits in the state until libjpeg is out of the way.
#include <jerror.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <new>
#include <string_view>

#include "workers/media/decoders.hpp"
#include "workers/media/jpeg_input.hpp"

namespace annolog::workers::media {
namespace {

constexpr int kScansMax = 100;         // real ones have about ten
constexpr int kSegmentsMax = 1000;     // looked at for EXIF
constexpr unsigned kLeastSide = 1024;  // what libjpeg leaves to be shrunk with care

struct JpegState {
  // All that changes between setjmp and longjmp lives here, outside the frame that calls setjmp.
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  JpegInput input{};
  jpeg_progress_mgr progress{};
  std::jmp_buf leave;
  Decoding* on = nullptr;
  std::array<JOCTET, 16384> buffer{};
  std::vector<std::uint8_t> row;   // as libjpeg gives it
  std::vector<std::uint8_t> rgba;  // of CMYK
  Decoded outcome = Decoded::damaged;
};

JpegState& jpeg_state_of(j_common_ptr jpeg) { return *static_cast<JpegState*>(jpeg->client_data); }

[[noreturn]] void leave(JpegState& state, Decoded outcome) {
  state.outcome = outcome;
  std::longjmp(state.leave, 1);
}

[[noreturn]] void on_jpeg_error(j_common_ptr jpeg) {
  // Above max_memory_to_use libjpeg asks for a file to swap to, which Debian's build has not.
  const bool memory = jpeg->err->msg_code == JERR_NO_BACKING_STORE;
  leave(jpeg_state_of(jpeg), memory ? Decoded::too_big : Decoded::damaged);
}

void on_progress(j_common_ptr jpeg) {
  JpegState& state = jpeg_state_of(jpeg);
  if (state.jpeg.input_scan_number > kScansMax) leave(state, Decoded::unsupported);
  if (state.on->rows.is_late()) leave(state, Decoded::late);
}

bool make_room(JpegState& state) noexcept {
  try {
    const std::size_t bytes = std::size_t{state.jpeg.output_width} * 4;
    state.row.resize(bytes);
    state.rgba.resize(bytes);
    state.on->rows.begin(state.jpeg.output_width, state.jpeg.output_height);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Adobe's programs write the four inks inverted.
void from_inks(JpegState& state) {
  const bool inverted = state.jpeg.saw_Adobe_marker != 0;
  for (std::size_t i = 0; i < state.row.size(); i += 4) {
    const auto ink = [&](std::size_t at) -> unsigned {
      return inverted ? state.row[i + at] : 255U - state.row[i + at];
    };
    for (std::size_t c = 0; c < 3; ++c)
      state.rgba[i + c] = static_cast<std::uint8_t>(ink(c) * ink(3) / 255);
    state.rgba[i + 3] = 255;
  }
}

Decoded read_image(JpegState& state) {
  jpeg_decompress_struct& jpeg = state.jpeg;
  if (::jpeg_read_header(&jpeg, TRUE) != JPEG_HEADER_OK) return Decoded::damaged;
  const bool inks = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
  jpeg.scale_num = 1;
  jpeg.scale_denom = 8;
  while (jpeg.scale_denom > 1 &&
         std::max(jpeg.image_width, jpeg.image_height) / jpeg.scale_denom < kLeastSide) {
    jpeg.scale_denom /= 2;
  }
  ::jpeg_start_decompress(&jpeg);
  if (!make_room(state)) return Decoded::too_big;
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = state.row.data();
    if (::jpeg_read_scanlines(&jpeg, &row, 1) != 1) return Decoded::damaged;
    if (inks) from_inks(state);
    if (!state.on->rows.add(inks ? state.rgba.data() : state.row.data())) return Decoded::late;
  }
  return Decoded::whole;
}

void run(JpegState& state) {
  jpeg_decompress_struct& jpeg = state.jpeg;
  handle_errors(jpeg, state.errors, on_jpeg_error);
  jpeg.client_data = &state;
  if (setjmp(state.leave) != 0) {
    ::jpeg_destroy_decompress(&jpeg);
    return;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.client_data = &state;
  jpeg.mem->max_memory_to_use = static_cast<long>(state.on->memory_bytes);
  state.progress.progress_monitor = on_progress;
  jpeg.progress = &state.progress;
  read_from(jpeg, state.input);
  state.outcome = read_image(state);
  ::jpeg_destroy_decompress(&jpeg);
}

// Walks over the segments before the picture.
int orientation_of(BudgetedSource& source) {
  constexpr std::size_t kExifHeadBytes = 6;  // "Exif" and two zeros
  std::uint64_t at = 2;
  for (int i = 0; i < kSegmentsMax; ++i) {
    std::array<std::uint8_t, 4> head{};
    if (source.read_at(at, std::as_writable_bytes(std::span(head))) != head.size()) return 1;
    const std::size_t length = (std::size_t{head[2]} << 8) | head[3];
    if (head[0] != 0xFF || head[1] == 0xDA || length < 2) return 1;
    if (head[1] == 0xE1) {
      std::vector<std::uint8_t> body(length - 2);
      body.resize(source.read_at(at + 4, std::as_writable_bytes(std::span(body))));
      const std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
      if (text.starts_with("Exif") && body.size() > kExifHeadBytes)
        return exif_orientation(std::span(body).subspan(kExifHeadBytes));
    }
    at += 2 + length;
  }
  return 1;
}

}  // namespace

Decoded decode_jpeg(Decoding& on) {
  on.orientation = orientation_of(on.source);
  JpegState state;
  state.on = &on;
  state.input.source = &on.source;
  state.input.buffer = state.buffer;
  run(state);
  if (state.input.broken) std::rethrow_exception(state.input.broken);
  return state.outcome;
}

}  // namespace annolog::workers::media
