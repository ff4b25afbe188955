#include "platform/named_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>

namespace annolog::platform {

void name_thread(std::string_view name) noexcept {
  std::array<char, 16> text{};  // the last stays 0
  std::copy_n(name.begin(), std::min(name.size(), text.size() - 1), text.begin());
  pthread_setname_np(pthread_self(), text.data());
}

}  // namespace annolog::platform
