// The HTTP status of a refusal: the one table for the answer and for what the audit says of it.
#pragma once

#include <string_view>

#include "domain/support/error.hpp"

namespace annolog {

// The code that stands for 415, which no kind has.
inline constexpr std::string_view kUnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE";

constexpr int status_of(DomainError::Kind kind) {
  switch (kind) {
    case DomainError::Kind::bad_request: return 400;
    case DomainError::Kind::unauthenticated: return 401;
    case DomainError::Kind::forbidden: return 403;
    case DomainError::Kind::not_found: return 404;
    case DomainError::Kind::conflict: return 409;
    case DomainError::Kind::gone: return 410;
    case DomainError::Kind::precondition_failed: return 412;
    case DomainError::Kind::too_large: return 413;
    case DomainError::Kind::invalid: return 422;
    case DomainError::Kind::limited: return 429;
    case DomainError::Kind::unavailable: return 503;
  }
  return 500;
}

inline int status_of(const DomainError& error) {
  return error.code == kUnsupportedMediaType ? 415 : status_of(error.kind);
}

}  // namespace annolog
