// The time of the process: wall time for what is recorded, monotonic time for waits and limits.
// Everything that needs time takes a Clock by reference; all methods may be called from any thread.
// Units: milliseconds. Never throws.
#pragma once

#include <atomic>
#include <cstdint>

#include "domain/support/timestamp.hpp"

namespace annolog::platform {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time since 1970-01-01T00:00:00Z; may jump when the machine's clock is set.
  virtual Timestamp now() const = 0;
  // Time since some fixed moment; never goes back.
  virtual std::int64_t monotonic_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
  std::int64_t monotonic_ms() const override;
};

// Stands still until it is told otherwise; for tests and simulation.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = {1'750'000'000'000}) : wall_ms_(start.ms) {}

  Timestamp now() const override { return {wall_ms_.load()}; }
  std::int64_t monotonic_ms() const override { return monotonic_ms_.load(); }

  // Both times pass; `ms` must not be negative.
  void advance(std::int64_t ms);
  // A jump of the wall clock, in either direction; monotonic time is untouched.
  void set_wall(Timestamp at) { wall_ms_ = at.ms; }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> monotonic_ms_{0};
};

}  // namespace annolog::platform
