#include "app/stop_flag.hpp"

#include <signal.h>

#include <atomic>

namespace annolog::app {
namespace {

// A handler has nothing but globals.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { received = signal; }

}  // namespace

StopFlag::StopFlag() {
  received = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int StopFlag::signal() const { return received; }

}  // namespace annolog::app
