// At most `limit` hits of a key in any window of `window_ms` (exact sliding window), for a bounded
// number of keys. When all places are taken, the key that was hit least recently is forgotten: a
// flood of new keys can't lock others out nor grow memory (max_keys * limit * 8 bytes and ~200
// bytes a key). Uses monotonic time. All methods may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "platform/clock.hpp"

namespace annolog::platform {

struct RateLimit {
  std::int64_t limit = 1;  // at least 1
  std::int64_t window_ms = 60'000;
  std::size_t max_keys = 100'000;
};

struct RateDecision {
  bool allowed = true;
  std::int64_t remaining = 0;      // further hits that would be allowed now
  std::int64_t retry_after_s = 0;  // whole seconds, rounded up; at least 1 when refused
};

class RateLimiter {
 public:
  // The clock must outlive the limiter. Throws std::invalid_argument for a limit out of range.
  RateLimiter(const Clock& clock, RateLimit limit);
  ~RateLimiter();

  // Counts the hit when it is allowed; a refused one does not prolong the wait.
  RateDecision hit(std::string_view key);
  // What hit() would say, without counting.
  RateDecision peek(std::string_view key) const;
  // Hits in the window that ends now.
  std::int64_t count(std::string_view key) const;
  void forget(std::string_view key);
  std::size_t keys() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::platform
