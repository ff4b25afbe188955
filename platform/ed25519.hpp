// Signatures that anybody can check who has the public key: Ed25519 (RFC 8032), by libsodium. The
// public key as PEM (SubjectPublicKeyInfo, RFC 8410), as OpenSSL reads it. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/digest.hpp"

namespace annolog::platform {

using Ed25519PublicKey = std::array<std::uint8_t, 32>;
using Ed25519Signature = std::array<std::uint8_t, 64>;

class Ed25519Key {
 public:
  // The same seed makes the same key.
  explicit Ed25519Key(const MacKey& seed);
  ~Ed25519Key();
  Ed25519Key(const Ed25519Key&) = delete;
  Ed25519Key& operator=(const Ed25519Key&) = delete;

  const Ed25519PublicKey& public_key() const { return public_key_; }
  Ed25519Signature sign(std::string_view text) const;

 private:
  Ed25519PublicKey public_key_{};
  std::array<std::uint8_t, 64> secret_{};
};

bool signature_holds(const Ed25519PublicKey& key, std::string_view text,
                     const Ed25519Signature& signature);

// The name of a key follows from it: the first 16 hex digits of its SHA-256.
std::string key_id_of(const Ed25519PublicKey& key);

std::string to_pem(const Ed25519PublicKey& key);
// One block, with white space around it at most; nullopt for anything else, other kinds of keys
// included.
std::optional<Ed25519PublicKey> public_key_from_pem(std::string_view pem);

}  // namespace annolog::platform
