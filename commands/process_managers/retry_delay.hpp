// How long a process manager lets a shard rest whose log refused its step.
#pragma once

#include <chrono>

namespace annolog::commands {

inline constexpr std::chrono::milliseconds kRetryDelay{200};

}  // namespace annolog::commands
