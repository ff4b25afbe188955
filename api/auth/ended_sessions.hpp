// Sessions that have ended while access tokens of theirs may not have expired: those are void.
// Loaded from the read models at start, then kept up by what the projector has committed. Any
// thread; bounded by the sign-outs of a day.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::api {

class EndedSessions {
 public:
  void put(SessionId session, Timestamp ended_at) {
    const std::unique_lock guard(mutex_);
    if (ended_at - last_cleaned_ > kTidyMs) {
      std::erase_if(ended_, [&](const auto& each) { return ended_at - each.second > kKeptMs; });
      last_cleaned_ = ended_at;
    }
    ended_.insert_or_assign(session.value, ended_at);
  }
  bool contains(SessionId session) const {
    const std::shared_lock guard(mutex_);
    return ended_.contains(session.value);
  }

 private:
  static constexpr std::int64_t kKeptMs =
      25LL * 3600 * 1000;  // an access token lives a day at most
  static constexpr std::int64_t kTidyMs = 3600 * 1000;

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::int64_t, Timestamp> ended_;
  Timestamp last_cleaned_;
};

}  // namespace annolog::api
