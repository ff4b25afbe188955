// By whom and when a record's event happened.
#pragma once

#include "domain/identity/context.hpp"
#include "domain/support/number.hpp"
#include "eventstore/record.hpp"

namespace annolog::projections {

// The header holds the user id in decimal; 0 is the service itself.
inline Happened happened(const eventstore::RecordHeaders& headers) {
  return {UserId{number_from<std::int64_t>(headers.actor).value_or(0)}, Timestamp{headers.time_ms}};
}

}  // namespace annolog::projections
