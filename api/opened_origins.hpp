// Origins of requests as they were once they were opened, for the next page of the audit that shows
// them: a person's requests from one place share what is sealed, and the key lies in a file. Kept
// in memory for the same names of people only (a number that changes when somebody is erased).
// Any thread; opening blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/audit_origins.hpp"
#include "domain/audit/request.hpp"

namespace annolog::api {

class OpenedOrigins {
 public:
  using Open = std::function<std::optional<PlainOrigin>(const RequestOrigin&)>;

  // Full, it begins anew.
  OpenedOrigins(Open open, std::size_t kept_max) : open_(std::move(open)), kept_max_(kept_max) {}

  // Null: nothing is sealed, or the person was erased. `names`: what held before the caller looked
  // at anything else.
  std::optional<PlainOrigin> open(const RequestOrigin& origin, std::uint64_t names);

 private:
  const Open open_;
  const std::size_t kept_max_;
  std::mutex mutex_;
  std::uint64_t names_ = 0;
  std::unordered_map<std::string, PlainOrigin> opened_;  // by what is sealed
};

}  // namespace annolog::api
