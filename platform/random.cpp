#include "platform/random.hpp"

#include <sodium.h>

#include <stdexcept>
#include <string_view>

namespace annolog::platform {

void ensure_sodium() {
  // Thread-safe by itself, and a no-op after the first call.
  if (sodium_init() < 0) throw std::runtime_error("libsodium could not start: no randomness");
}

std::string random_bytes(std::size_t count) {
  ensure_sodium();
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

std::array<std::uint8_t, 32> random_key() {
  ensure_sodium();
  std::array<std::uint8_t, 32> key;
  randombytes_buf(key.data(), key.size());
  return key;
}

std::uint32_t random_below(std::uint32_t bound) {
  if (bound == 0) throw std::invalid_argument("random_below: the bound must be positive");
  ensure_sodium();
  return randombytes_uniform(bound);
}

std::string random_base62(std::size_t count) {
  static constexpr std::string_view kAlphabet =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string text(count, '\0');
  for (char& c : text) c = kAlphabet[random_below(kAlphabet.size())];
  return text;
}

}  // namespace annolog::platform
