// For work that fills cores and that nobody waits for.
#pragma once

namespace annolog::platform {

// From now on other threads go before the calling one (setpriority(2), which is of a thread). Where
// the system refuses it, all go alike.
void give_way() noexcept;

}  // namespace annolog::platform
