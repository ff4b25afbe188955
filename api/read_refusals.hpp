// What reads answer when PostgreSQL can't be asked, or doesn't show yet what it must: 503 with
// Retry-After.
#pragma once

#include "domain/support/error.hpp"

namespace annolog::api {

inline DomainError reads_away() {
  return {DomainError::Kind::unavailable,
          "READ_UNAVAILABLE",
          "The read models can't be reached or took too long; try again soon, or ask for less.",
          {},
          {},
          2};
}

inline DomainError read_model_behind() {
  return {DomainError::Kind::unavailable,
          "READ_MODEL_BEHIND",
          "The read models have not caught up yet; try again soon.",
          {},
          {},
          1};
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
