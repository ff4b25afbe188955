// What libFuzzer calls; linked into every target.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  annolog::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
