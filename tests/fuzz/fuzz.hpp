// What the fuzz targets share. A target defines try_input(): it hands the bytes to one parser and
// requires what must hold of whatever the parser takes; a crash, a sanitizer's report, an exception
// that leaves it or a failed require() is a finding. One thread.
// Source: https://llvm.org/docs/LibFuzzer.html
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace annolog::fuzz {

void try_input(std::string_view input);

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "this must hold: %s\n", what);
  std::abort();
}

// The part before the first `separator`, and what follows it (empty when there is none).
constexpr std::pair<std::string_view, std::string_view> split(std::string_view text,
                                                              char separator = '\n') {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace annolog::fuzz
