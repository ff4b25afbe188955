// Bytes as events have them: digits that compress about as badly as coordinates do.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace annolog::bench {

inline std::string payload(std::uint64_t bytes) {
  std::minstd_rand generator(7);
  std::string text = "{\"points\":[";
  while (text.size() + 2 < bytes) text += std::to_string(generator() % 10);
  return text + "]}";
}

}  // namespace annolog::bench
