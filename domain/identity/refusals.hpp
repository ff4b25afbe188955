// The refusals that many deciders share, each with its stable code.
#pragma once

#include <string>
#include <vector>

#include "domain/identity/permissions.hpp"
#include "domain/support/error.hpp"

namespace annolog {

inline DomainError forbidden(std::string required_role) {
  return {
      DomainError::Kind::forbidden,       "FORBIDDEN", "This needs the role " + required_role + ".",
      {{"required_role", required_role}}, {},          0};
}

inline DomainError forbidden(Action action) {
  const auto& needs = requirement_of(action);
  return forbidden(needs.owner ? "owner" : std::string(to_string(needs.least_role)));
}

inline DomainError conflict(std::string code, std::string message,
                            DomainError::Detail detail = {}) {
  return {
      DomainError::Kind::conflict, std::move(code), std::move(message), std::move(detail), {}, 0};
}

inline DomainError unauthenticated(std::string code, std::string message,
                                   DomainError::Detail detail = {}) {
  return {DomainError::Kind::unauthenticated,
          std::move(code),
          std::move(message),
          std::move(detail),
          {},
          0};
}

inline DomainError version_mismatch(std::int64_t current) {
  return {DomainError::Kind::precondition_failed,
          "VERSION_MISMATCH",
          "The resource has changed since the version named in If-Match.",
          {{"current_version", current}},
          {},
          0};
}

}  // namespace annolog
