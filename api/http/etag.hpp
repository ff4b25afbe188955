// If-Match and Idempotency-Key as values. Pure; any thread. Source: RFC 9110, section 13.1.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::http {

class IfMatch {
 public:
  // Absent header: allows everything. Weak tags never match; what is no entity-tag list is a 400.
  static Result<IfMatch> parse(std::optional<std::string_view> header);

  bool present() const { return present_; }
  bool any() const { return any_; }  // "*"
  bool allows(std::int64_t version) const;
  // The versions that are allowed; nullopt: any. Empty: none (weak or foreign tags only).
  std::optional<std::vector<std::int64_t>> versions() const;
  // 412 PRECONDITION_FAILED unless allows(version).
  Result<void> check(std::int64_t version) const;

 private:
  bool present_ = false;
  bool any_ = false;
  std::vector<std::string> strong_tags_;  // without quotes
};

// 1..128 printable ASCII characters, else 422.
Result<std::optional<std::string>> parse_idempotency_key(std::optional<std::string_view> header);

}  // namespace annolog::http
