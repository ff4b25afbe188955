// libpng on a source. libpng leaves by longjmp: between setjmp and the jump there are only plain
// values, and an exception of the source waits in `broken` until libpng is out of the way. Internal
// to workers/media; one thread.
#pragma once

#include <png.h>

#include <cstdint>
#include <exception>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {

struct PngInput {
  BudgetedSource& source;
  std::uint64_t offset = 0;
  std::exception_ptr broken = {};
};

// Lets `visit` work on a reader of the input, which is gone afterwards. False: libpng gave up, or
// has no memory. `visit` must not throw, and what it leaves behind lies in `context`.
using VisitPng = void (*)(png_structp png, png_infop info, void* context);
bool visit_png(PngInput& input, VisitPng visit, void* context);

}  // namespace annolog::workers::media
