// libtiff on a source: no mapping, no allocation above what is allowed, no message on the terminal.
// Internal to workers/media; one thread.
#pragma once

#include <tiffio.h>

#include <exception>
#include <memory>

#include "workers/media/header_readers.hpp"

namespace annolog::workers::media {

struct TiffInput {
  BudgetedSource& source;
  std::uint64_t offset = 0;
  std::exception_ptr broken = nullptr;  // of the source; waits until libtiff is out of the way
};

using TiffOptions = std::unique_ptr<TIFFOpenOptions, decltype(&::TIFFOpenOptionsFree)>;
using TiffFile = std::unique_ptr<TIFF, decltype(&::TIFFClose)>;

// Nothing: no memory.
TiffOptions tiff_options(tmsize_t most_bytes);
// `input` must live until the file is closed. Nothing: it is none.
TiffFile open_tiff(TiffInput& input, const char* mode, TIFFOpenOptions* options);

}  // namespace annolog::workers::media
