#include "platform/give_way.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace annolog::platform {
namespace {

constexpr int kLowPriority = 10;  // of 0 to 19: a tenth of the weight of the others

}  // namespace

void give_way() noexcept {
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowPriority));
}

}  // namespace annolog::platform
