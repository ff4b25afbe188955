// How the commands layer fills and reads record headers.
#pragma once

#include <string>

#include "domain/support/ids.hpp"
#include "domain/support/number.hpp"
#include "eventstore/record.hpp"

namespace annolog::commands {

// The header holds the user id in decimal; 0 is the service itself.
inline UserId actor_of(const eventstore::RecordHeaders& headers) {
  return UserId{number_from<std::int64_t>(headers.actor).value_or(0)};
}

}  // namespace annolog::commands
