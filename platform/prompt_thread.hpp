// Threads that somebody waits for: between two waits they work for a fraction of a millisecond,
// beside others, PostgreSQL's too, that work for several. They ask the kernel for short slices,
// which it gives soon (sched_setattr(2); Linux 6.12 and later, docs/decisions, 0033).
#pragma once

#include <string_view>
#include <thread>
#include <utility>

#include "platform/named_thread.hpp"

namespace annolog::platform {

// For the calling thread: slices of 0.1 ms, the shortest there are; its policy and niceness stay.
// Without effect where the kernel is older or forbids it, and for real-time threads.
void ask_for_short_slices() noexcept;

// As named_thread().
template <class Run>
std::thread prompt_thread(std::string_view name, Run run) {
  return named_thread(name, [run = std::move(run)]() mutable {
    ask_for_short_slices();
    run();
  });
}

}  // namespace annolog::platform
