#include "eventstore/log_id.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "eventstore/chain.hpp"

namespace annolog::eventstore {

std::string random_log_id() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error("the system gives no random bytes");
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x40U);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);  // variant of the RFC
  std::string text = to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const std::size_t dash : {20U, 16U, 12U, 8U}) text.insert(dash, 1, '-');
  return text;
}

}  // namespace annolog::eventstore
