// How many sockets this process has, in all and of each user. Any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "domain/support/ids.hpp"

namespace annolog::api::realtime {

class SocketPlaces {
 public:
  SocketPlaces(std::size_t most, std::size_t most_per_user)
      : most_(most), most_per_user_(most_per_user) {}

  // One of the places, given back at its end; outlived by all of them.
  class Place {
   public:
    explicit Place(SocketPlaces& places) : places_(&places) {}
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), user_(other.user_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->leave(user_);
    }
    // Whose it is, once that is known. False: they have enough.
    bool take_for(UserId user) {
      if (!places_->enter(user)) return false;
      user_ = user;
      return true;
    }

   private:
    SocketPlaces* places_;
    std::optional<UserId> user_;
  };

  std::optional<Place> take() {
    const std::lock_guard guard(mutex_);
    if (open_ >= most_) return std::nullopt;
    ++open_;
    return Place(*this);
  }

 private:
  bool enter(UserId user) {
    const std::lock_guard guard(mutex_);
    std::size_t& held = by_user_[user];
    if (held >= most_per_user_) return false;
    ++held;
    return true;
  }
  void leave(std::optional<UserId> user) {
    const std::lock_guard guard(mutex_);
    --open_;
    if (!user) return;
    const auto held = by_user_.find(*user);
    if (--held->second == 0) by_user_.erase(held);
  }

  const std::size_t most_;
  const std::size_t most_per_user_;
  std::mutex mutex_;
  std::size_t open_ = 0;
  std::unordered_map<UserId, std::size_t> by_user_;
};

}  // namespace annolog::api::realtime
