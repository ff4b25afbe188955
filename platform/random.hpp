// Randomness fit for keys and tokens, from the operating system through libsodium. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace annolog::platform {

// Starts libsodium once; the other functions of this layer call it by themselves. Throws
// std::runtime_error when the system has no randomness.
void ensure_sodium();

std::string random_bytes(std::size_t count);
std::array<std::uint8_t, 32> random_key();
// Uniform in [0, bound); bound must be positive.
std::uint32_t random_below(std::uint32_t bound);
// `count` characters of 0-9A-Za-z, each 5.95 bits.
std::string random_base62(std::size_t count);

}  // namespace annolog::platform
