// What every read answers when PostgreSQL can't be asked: 503 with Retry-After.
#pragma once

#include "domain/support/error.hpp"

namespace annolog::api {

inline DomainError reads_away() {
  return {DomainError::Kind::unavailable,
          "READ_UNAVAILABLE",
          "The read models can't be reached; try again soon.",
          {},
          {},
          2};
}

inline DomainError reads_overloaded() {
  return {DomainError::Kind::unavailable,
          "OVERLOADED",
          "Too many reads are waiting; try again.",
          {},
          {},
          1};
}

}  // namespace annolog::api
