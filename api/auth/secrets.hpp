// Secrets that a route gives once. A retry under the same idempotency key is told the same again,
// although nobody keeps it: it follows from the caller, the key, the day and a key of the service.
// The day, since a key is forgotten after 24 hours and may then stand for another wish. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/work.hpp"

namespace annolog::api {

struct ToldSecret {
  std::string fresh;   // for a wish that is carried out now
  std::string before;  // what a first try was told, if it came yesterday

  // Of these the one that was taken up.
  template <class IsIt>
  const std::string& taken(const IsIt& is_it) const {
    return is_it(before) ? before : fresh;
  }
};

inline constexpr std::size_t kSecretBytes = 32;
// `purpose` keeps the secrets of different routes apart.
ToldSecret secret_bytes(const Call& call, const Services& services, std::string_view purpose);
// `count` letters of 62.
ToldSecret secret_letters(const Call& call, const Services& services, std::string_view purpose,
                          std::size_t count);

}  // namespace annolog::api
