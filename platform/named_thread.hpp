// Threads with names, for top -H, perf and a debugger.
#pragma once

#include <string_view>
#include <thread>
#include <utility>

namespace annolog::platform {

// Of the calling thread; what is beyond 15 bytes is left out (pthread_setname_np(3)).
void name_thread(std::string_view name) noexcept;

// Starts it; `name` must live as long as it. Throws as std::thread does.
template <class Run>
std::thread named_thread(std::string_view name, Run run) {
  return std::thread([name, run = std::move(run)]() mutable {
    name_thread(name);
    run();
  });
}

}  // namespace annolog::platform
