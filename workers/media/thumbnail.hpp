// A small WebP of an image: longest side kThumbnailSide, turned as EXIF says, without metadata.
// Whatever the file claims, memory and time stay within the limits: a hundred million pixels are
// shrunk row by row, and what a format wants to hold whole is refused above `memory_bytes`.
// Any thread. Never throws on account of the contents; a broken source's exception passes through.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "domain/support/result.hpp"
#include "platform/objects/byte_source.hpp"

namespace annolog::workers {

inline constexpr std::uint32_t kThumbnailSide = 512;

struct ThumbnailLimits {
  std::uint64_t pixels = 100'000'000;
  std::uint64_t file_bytes = 256ULL << 20U;
  std::uint64_t memory_bytes = 256ULL << 20U;
  std::chrono::milliseconds time{30'000};
  const std::atomic<bool>* given_up = nullptr;  // as if the time were over
};

// Refuses (kind invalid) with what probe_image() refuses with, IMAGE_TOO_LARGE (pixels, bytes or
// memory), DAMAGED_IMAGE, UNSUPPORTED_IMAGE or DECODING_TOO_SLOW.
Result<std::vector<std::uint8_t>> make_thumbnail(platform::ByteSource& source,
                                                 const ThumbnailLimits& limits = {});

}  // namespace annolog::workers
