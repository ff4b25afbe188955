// What an access token says of its holder. RFC 7519, section 4.
#pragma once

#include <cstdint>
#include <string>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::platform {

struct Claims {
  UserId sub;  // 0: the service itself
  std::string role;
  std::string jti;
  std::int64_t gen = 0;  // the user's session generation
  Timestamp iat;         // whole seconds in the token
  Timestamp exp;         // whole seconds in the token
  std::string iss = {};  // set by create()
  std::string typ = "access";
  bool operator==(const Claims&) const = default;
};

}  // namespace annolog::platform
