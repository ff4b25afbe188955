// Origins of requests as they were once they were opened, for the next page of the audit that shows
// them: a person's requests from one place share what is sealed, and the key lies in a file. Kept
// in memory for the same names of people only (a number that changes when somebody is erased).
// Any thread; opening blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/audit_origins.hpp"
#include "domain/audit/request.hpp"

namespace annolog::api {

class OpenedOrigins {
 public:
  using Open = std::function<std::optional<PlainOrigin>(const RequestOrigin&)>;
  // Null: the request came from nowhere, or the person was erased.
  using Opened = std::shared_ptr<const PlainOrigin>;

  // Full, it begins anew.
  OpenedOrigins(Open open, std::size_t kept_max) : open_(std::move(open)), kept_max_(kept_max) {}

  // `origin`: a RequestOrigin's JSON, as it stands in its record. `names`: what held before the
  // caller looked at anything else.
  Opened open(std::string_view origin, std::uint64_t names);
  // Never blocks; none: it has to be opened.
  std::optional<Opened> opened(std::string_view origin, std::uint64_t names);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Kept = std::unordered_map<std::string, Opened, Hash, std::equal_to<>>;  // by the JSON

  const Open open_;
  const std::size_t kept_max_;
  std::mutex mutex_;
  std::uint64_t names_ = 0;
  Kept opened_;
};

}  // namespace annolog::api
