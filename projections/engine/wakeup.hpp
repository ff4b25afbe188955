// A flag that can be waited for together with a socket (eventfd(2)). set() may be called from any
// thread and costs a system call only when the flag was down; the rest belongs to the waiting one.
#pragma once

#include <atomic>
#include <cstdint>

namespace annolog::projections {

class Wakeup {
 public:
  Wakeup();  // throws std::system_error
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void set() noexcept;
  // Takes the flag down. What was published before a set() is visible after.
  void clear() noexcept;
  // Until the flag is up, at most that long.
  void wait(std::int64_t ms) const noexcept;
  int fd() const { return fd_; }  // readable while the flag is up

 private:
  int fd_;
  std::atomic<bool> up_{false};
};

}  // namespace annolog::projections
