// How the commands layer fills and reads record headers.
#pragma once

#include <charconv>
#include <string>

#include "domain/support/ids.hpp"
#include "eventstore/record.hpp"

namespace annolog::commands {

// The header holds the user id in decimal; 0 is the service itself.
inline UserId actor_of(const eventstore::RecordHeaders& headers) {
  std::int64_t value = 0;
  std::from_chars(headers.actor.data(), headers.actor.data() + headers.actor.size(), value);
  return UserId{value};
}

}  // namespace annolog::commands
