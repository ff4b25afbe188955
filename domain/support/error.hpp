// A refusal: why a wish can't be granted. A value, never thrown; protocol-neutral. The HTTP layer
// maps `kind` to a status and the rest to the body (decisions, section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace annolog {

// Where in the input something is wrong: member names and array indexes, outermost first.
using Location = std::vector<std::variant<std::string, std::int64_t>>;

struct FieldError {
  Location loc;  // e.g. {"shapes", 0, "geometry", "x"}; the edge puts "body" or "query" before it
  std::string msg;   // what was wrong and what is allowed
  std::string type;  // stable word, e.g. "missing", "out_of_range", "unknown_class"
  bool operator==(const FieldError&) const = default;
};

// So many are told of one request, and no more are looked for.
inline constexpr std::size_t kMaxErrors = 1000;
inline bool is_full(const std::vector<FieldError>& errors) { return errors.size() >= kMaxErrors; }

struct DomainError {
  enum class Kind {
    bad_request,          // 400
    unauthenticated,      // 401
    forbidden,            // 403
    not_found,            // 404
    conflict,             // 409
    gone,                 // 410
    precondition_failed,  // 412
    too_large,            // 413
    invalid,              // 422
    limited,              // 429
    unavailable,          // 503
  };
  // A member of the detail object beside code and message.
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, std::string, std::vector<std::string>,
                   std::vector<std::int64_t>, std::map<std::string, std::int64_t>>;
  using Detail = std::vector<std::pair<std::string, Value>>;

  Kind kind = Kind::invalid;
  std::string code;     // SCREAMING_SNAKE, stable
  std::string message;  // one sentence for a person
  Detail detail;
  std::vector<FieldError> errors;  // for validation: every error found
  int retry_after_s = 0;           // for limited and unavailable

  bool operator==(const DomainError&) const = default;
};

// VALIDATION_ERROR with the given field errors, kMaxErrors of them at most.
inline DomainError validation_error(std::vector<FieldError> errors) {
  if (errors.size() > kMaxErrors) errors.resize(kMaxErrors);
  return {DomainError::Kind::invalid,  "VALIDATION_ERROR",
          "The request is not valid.", {},
          std::move(errors),           0};
}

inline DomainError not_found(std::string what) {
  return {DomainError::Kind::not_found, "NOT_FOUND", "No such " + std::move(what) + ".", {}, {}, 0};
}

}  // namespace annolog
