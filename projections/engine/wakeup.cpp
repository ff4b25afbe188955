#include "projections/engine/wakeup.hpp"

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace annolog::projections {

Wakeup::Wakeup() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Wakeup::~Wakeup() { ::close(fd_); }

// The counter can't overflow: it is written once each time the flag goes up.
void Wakeup::set() noexcept {
  if (up_.exchange(true)) return;
  const std::uint64_t one = 1;
  while (::write(fd_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Wakeup::wait(std::int64_t ms) const noexcept {
  pollfd waited{fd_, POLLIN, 0};
  // An interruption ends it early: its caller looks around and waits again, or goes on.
  (void)::poll(&waited, 1, static_cast<int>(ms));
}

void Wakeup::clear() noexcept {
  std::uint64_t count = 0;
  while (::read(fd_, &count, sizeof count) < 0 && errno == EINTR) {
  }
  up_ = false;
}

}  // namespace annolog::projections
