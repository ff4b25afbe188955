// Takes notifications out of the live read models that are past their time, a thousand a step, and
// the marks that were about them. Nothing waits for it: no read shows them any more. A rebuild
// brings them back unseen, and it takes them again. On many nodes each may run one. One thread,
// which mostly rests; start() and stop() belong to one, too. docs/decisions/0027.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

class NotificationTidier {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{60'000};
  static constexpr std::int64_t kStep = 1'000;

  // `pool` may write.
  NotificationTidier(ReadPool& pool, const platform::Clock& clock, platform::Logger& logger,
                     std::int64_t kept_ms);
  ~NotificationTidier();  // stops
  NotificationTidier(const NotificationTidier&) = delete;
  NotificationTidier& operator=(const NotificationTidier&) = delete;

  void start();
  // Ends after the step in hand.
  void stop();

  // One step; whether there is more. Any thread; errors as in queries/read_pool.hpp.
  bool tidy();

 private:
  void run();
  bool tidy_contained();
  bool rest(std::chrono::milliseconds pause);  // false: it is to end

  ReadPool& pool_;
  const platform::Clock& clock_;
  platform::Logger& logger_;
  const std::int64_t kept_ms_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annolog::projections
