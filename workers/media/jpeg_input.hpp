// libjpeg on a source. libjpeg leaves by longjmp, so an exception of the source waits in `broken`
// until libjpeg is out of the way. Internal to workers/media; one thread.
#pragma once

#include <cstdio>  // jpeglib.h needs FILE
#include <jpeglib.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {

struct JpegInput : jpeg_source_mgr {
  BudgetedSource* source = nullptr;
  std::span<JOCTET> buffer;
  std::uint64_t offset = 0;  // of what the buffer is filled with next
  std::exception_ptr broken;
};

// `input` must live as long as `jpeg`. Its end is an error to libjpeg.
void read_from(jpeg_decompress_struct& jpeg, JpegInput& input);

// The standard handlers, without a word on the terminal; `on_error` must not return.
void handle_errors(jpeg_decompress_struct& jpeg, jpeg_error_mgr& errors,
                   void (*on_error)(j_common_ptr));

}  // namespace annolog::workers::media
