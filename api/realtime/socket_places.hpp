// How many sockets this process has, in all and of each user. Any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <variant>

#include "api/realtime/socket_kind.hpp"
#include "domain/support/ids.hpp"

namespace annolog::api::realtime {

class SocketPlaces {
 public:
  SocketPlaces(std::size_t most, std::size_t most_per_user)
      : most_(most), most_per_user_(most_per_user) {}

  // One of the places, given back at its end; outlived by all of them.
  class Place {
   public:
    Place(SocketPlaces& places, UserId user) : places_(&places), user_(user) {}
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), user_(other.user_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->leave(user_);
    }

   private:
    SocketPlaces* places_;
    UserId user_;
  };

  // kTryLater: all are taken; kTooManyOfUser: they have enough.
  std::variant<Place, CloseCode> take(UserId user) {
    const std::lock_guard guard(mutex_);
    if (open_ >= most_) return kTryLater;
    std::size_t& held = by_user_[user];
    if (held >= most_per_user_) return kTooManyOfUser;
    ++held;
    ++open_;
    return Place(*this, user);
  }

 private:
  void leave(UserId user) {
    const std::lock_guard guard(mutex_);
    --open_;
    const auto held = by_user_.find(user);
    if (--held->second == 0) by_user_.erase(held);
  }

  const std::size_t most_;
  const std::size_t most_per_user_;
  std::mutex mutex_;
  std::size_t open_ = 0;
  std::unordered_map<UserId, std::size_t> by_user_;
};

}  // namespace annolog::api::realtime
