#include "app/stop_limit.hpp"

#include <cstdlib>

namespace annolog::app {

StopLimit::StopLimit(std::chrono::milliseconds longest, platform::Logger& logger)
    : watch_([this, longest, &logger] {
        std::unique_lock guard(mutex_);
        if (ended_cv_.wait_for(guard, longest, [this] { return ended_; })) return;
        logger.warn("stopped amid work that did not end", {{"after_ms", longest.count()}});
        std::_Exit(EXIT_SUCCESS);  // destructors would wait for what does not answer
      }) {}

StopLimit::~StopLimit() {
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
  }
  ended_cv_.notify_one();
  watch_.join();
}

}  // namespace annolog::app
