// Text as libsodium takes it.
#pragma once

#include <string_view>

namespace annolog::platform {

inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace annolog::platform
