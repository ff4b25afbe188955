// How long an orderly stop may take. A cluster or a database that does not answer holds up whoever
// has a question open, and no orchestrator waits for ever: when the time is over the process ends
// as it is, with 0. Nothing is lost by that: what was acknowledged is in the log, and what was not
// has an unknown outcome, which its idempotency key clears up (architecture, the write path).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "platform/log.hpp"

namespace annolog::app {

// Counts from its making until its end; any thread.
class StopLimit {
 public:
  StopLimit(std::chrono::milliseconds longest, platform::Logger& logger);
  ~StopLimit();
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_cv_;
  bool ended_ = false;
  std::thread watch_;
};

}  // namespace annolog::app
