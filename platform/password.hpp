// Passwords kept as argon2id strings (RFC 9106), through libsodium. A hash costs memory_kib of
// memory and tens of milliseconds: call from a bounded pool, never from an I/O thread. Any thread.
// Throws std::bad_alloc when the memory is not to be had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/metrics.hpp"

namespace annolog::platform {

struct PasswordCost {
  std::int64_t memory_kib = 65'536;  // at least 8
  std::int64_t passes = 2;           // at least 1
};

class PasswordHasher {
 public:
  static constexpr std::size_t kMaxPasswordBytes = 1024;

  // Computes one hash, for verify_dummy. `computed` counts what is hashed from then on.
  explicit PasswordHasher(PasswordCost cost, std::optional<Counter> computed = {});

  // Throws std::invalid_argument for a password past kMaxPasswordBytes: refuse those before.
  std::string hash(std::string_view password) const;
  // False for a wrong password, one that is too long, or a text that is no such hash.
  bool verify(std::string_view hash, std::string_view password) const;
  // As much work as verify() on a hash of today's cost; for users that do not exist. Always false.
  bool verify_dummy(std::string_view password) const;

 private:
  PasswordCost cost_;
  std::string dummy_hash_;
  std::optional<Counter> computed_;
};

}  // namespace annolog::platform
