// When a delivery that was not taken is tried again. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace annolog::workers {

class RetrySchedule {
 public:
  // Milliseconds before the second attempt, the third, ...
  explicit RetrySchedule(std::vector<std::int64_t> delays_ms) : delays_ms_(std::move(delays_ms)) {}

  // After `failed` attempts; nullopt: it is given up. `jitter`, 0 to 1, spreads what failed at the
  // same time: a fifth to either side. A receiver that says when (Retry-After) is not asked before,
  // but within a day, whatever number it says.
  std::optional<std::int64_t> delay_ms(std::int64_t failed, double jitter,
                                       std::optional<std::int64_t> retry_after_s) const;

 private:
  std::vector<std::int64_t> delays_ms_;
};

}  // namespace annolog::workers
