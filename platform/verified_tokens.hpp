// What is known of tokens whose signature this process has found good before, so that a busy
// caller's token is not taken apart with every request. Keyed by the token's digest: no token is
// kept. Whether one has expired, and whether its key still counts, is asked each time by Jwt. Any
// thread; bounded.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "platform/claims.hpp"
#include "platform/digest.hpp"

namespace annolog::platform {

struct SignedClaims {
  std::string kid;  // of the key that signed them
  Claims claims;
};

class VerifiedTokens {
 public:
  static constexpr std::size_t kMax = 10'000;  // then all are forgotten, and checked again

  std::optional<SignedClaims> find(const Blake2bDigest& token) const {
    const std::lock_guard guard(mutex_);
    const auto found = known_.find(token);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const Blake2bDigest& token, SignedClaims claims) {
    const std::lock_guard guard(mutex_);
    if (known_.size() >= kMax) known_.clear();
    known_.insert_or_assign(token, std::move(claims));
  }

 private:
  struct FirstBytes {
    std::size_t operator()(const Blake2bDigest& digest) const {
      std::size_t hash = 0;
      std::memcpy(&hash, digest.data(), sizeof hash);
      return hash;
    }
  };

  mutable std::mutex mutex_;
  std::unordered_map<Blake2bDigest, SignedClaims, FirstBytes> known_;
};

}  // namespace annolog::platform
