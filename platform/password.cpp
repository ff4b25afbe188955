#include "platform/password.hpp"

#include <sodium.h>

#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "platform/random.hpp"

namespace annolog::platform {
namespace {

std::size_t memory_bytes(const PasswordCost& cost) {
  return static_cast<std::size_t>(cost.memory_kib) * 1024;
}

}  // namespace

PasswordHasher::PasswordHasher(PasswordCost cost, std::optional<Counter> computed) : cost_(cost) {
  ensure_sodium();
  if (cost_.memory_kib < 8 || cost_.passes < 1) {
    throw std::invalid_argument("argon2: memory must be at least 8 KiB and passes at least 1");
  }
  dummy_hash_ = hash(random_bytes(32));
  computed_ = computed;
}

std::string PasswordHasher::hash(std::string_view password) const {
  if (password.size() > kMaxPasswordBytes) {
    throw std::invalid_argument("password longer than 1024 bytes");
  }
  if (computed_) computed_->add();
  std::array<char, crypto_pwhash_STRBYTES> text{};
  const int failed = crypto_pwhash_str_alg(text.data(), password.data(), password.size(),
                                           static_cast<unsigned long long>(cost_.passes),
                                           memory_bytes(cost_), crypto_pwhash_ALG_ARGON2ID13);
  if (failed != 0) throw std::bad_alloc();  // the only way it fails with checked arguments
  return text.data();
}

bool PasswordHasher::verify(std::string_view hash, std::string_view password) const {
  if (hash.size() >= crypto_pwhash_STRBYTES) return false;
  // Cut rather than refused early: a long guess must cost what a short one costs.
  const std::string_view checked = password.substr(0, kMaxPasswordBytes);
  if (computed_) computed_->add();
  std::array<char, crypto_pwhash_STRBYTES> text{};
  hash.copy(text.data(), hash.size());
  const bool equal = crypto_pwhash_str_verify(text.data(), checked.data(), checked.size()) == 0;
  return equal && checked.size() == password.size();
}

bool PasswordHasher::verify_dummy(std::string_view password) const {
  (void)verify(dummy_hash_, password);
  return false;
}

}  // namespace annolog::platform
