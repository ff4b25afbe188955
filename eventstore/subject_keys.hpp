// The key per person that seals personal fields in records. It lies outside the log: erasing the
// key makes the sealed bytes unreadable for ever while the log stays as it is.
// Adapters: memory/ (tests), files/, kafka/ (many nodes). Any thread. A broken disk throws
// LogUnavailable, a damaged key file LogCorrupted. Source: architecture "Events"; decisions,
// section 2 "Privacy erasure".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace annolog::eventstore {

using SubjectKey = std::array<std::uint8_t, 32>;

class SubjectKeys {
 public:
  virtual ~SubjectKeys() = default;
  // nullopt: never created, or erased.
  virtual std::optional<SubjectKey> get(std::string_view subject) const = 0;
  // Idempotent: the key that exists, else a new random one, durable before this returns.
  virtual SubjectKey create(std::string_view subject) = 0;
  // Idempotent; gone for good when this returns.
  virtual void erase(std::string_view subject) = 0;
};

}  // namespace annolog::eventstore
