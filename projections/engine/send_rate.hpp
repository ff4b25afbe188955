// How many records go to PostgreSQL in a while: a stream with many gathers to fewer, larger batches
// (ProjectorOptions::gather_ms). One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace annolog::projections {

class SendRate {
 public:
  SendRate(std::int64_t gather_ms, std::int64_t busy_per_s)
      : gather_ms_(gather_ms), busy_per_s_(busy_per_s) {}

  void sent(std::int64_t now_ms, std::size_t records) {
    sent_at_ms_ = now_ms;
    if (now_ms - counted_from_ms_ >= gather_ms_) {
      counted_from_ms_ = now_ms;
      records_ = 0;
    }
    records_ += static_cast<std::int64_t>(records);
  }
  bool is_busy() const { return records_ * 1000 >= busy_per_s_ * gather_ms_; }
  std::int64_t sent_at_ms() const { return sent_at_ms_; }  // the last batch; long ago: none

 private:
  const std::int64_t gather_ms_;
  const std::int64_t busy_per_s_;
  std::int64_t sent_at_ms_ = std::numeric_limits<std::int64_t>::min() / 2;
  std::int64_t counted_from_ms_ = sent_at_ms_;
  std::int64_t records_ = 0;
};

}  // namespace annolog::projections
