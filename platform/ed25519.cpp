#include "platform/ed25519.hpp"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>

#include "platform/encoding.hpp"
#include "platform/sodium_bytes.hpp"

namespace annolog::platform {
namespace {

static_assert(crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_BYTES == 64);
static_assert(crypto_sign_SEEDBYTES == 32 && crypto_sign_SECRETKEYBYTES == 64);

constexpr std::string_view kBegin = "-----BEGIN PUBLIC KEY-----";
constexpr std::string_view kEnd = "-----END PUBLIC KEY-----";
// What stands before the 32 bytes of the key: SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING }
// (RFC 8410, section 4).
constexpr std::array<std::uint8_t, 12> kInfo{0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                             0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

Ed25519Key::Ed25519Key(const MacKey& seed) {
  if (crypto_sign_seed_keypair(public_key_.data(), secret_.data(), seed.data()) != 0)
    throw std::runtime_error("libsodium could not make a key pair");
}

Ed25519Key::~Ed25519Key() { sodium_memzero(secret_.data(), secret_.size()); }

Ed25519Signature Ed25519Key::sign(std::string_view text) const {
  Ed25519Signature signature{};
  if (crypto_sign_detached(signature.data(), nullptr, bytes_of(text), text.size(),
                           secret_.data()) != 0)
    throw std::runtime_error("libsodium could not sign");
  return signature;
}

bool signature_holds(const Ed25519PublicKey& key, std::string_view text,
                     const Ed25519Signature& signature) {
  return crypto_sign_verify_detached(signature.data(), bytes_of(text), text.size(), key.data()) ==
         0;
}

std::string key_id_of(const Ed25519PublicKey& key) {
  return to_hex(as_bytes_view(sha256(as_bytes_view(key)))).substr(0, 16);
}

std::string to_pem(const Ed25519PublicKey& key) {
  std::string der(as_bytes_view(kInfo));
  der += as_bytes_view(key);
  return std::string(kBegin) + "\n" + to_base64(der) + "\n" + std::string(kEnd) + "\n";
}

std::optional<Ed25519PublicKey> public_key_from_pem(std::string_view pem) {
  std::string text(pem);
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) -
                                         text.begin()));
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) return std::nullopt;
  if (text.size() < kBegin.size() + kEnd.size()) return std::nullopt;
  std::string base64 = text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
  std::erase_if(base64, is_space);
  // 44 bytes: 59 digits and one padding sign, which base64url does without.
  if (base64.size() != 60 || base64.back() != '=') return std::nullopt;
  base64.pop_back();
  std::ranges::replace(base64, '+', '-');
  std::ranges::replace(base64, '/', '_');
  const auto der = from_base64url(base64);
  if (!der || der->size() != kInfo.size() + 32 || !der->starts_with(as_bytes_view(kInfo)))
    return std::nullopt;
  Ed25519PublicKey key{};
  std::copy(der->begin() + kInfo.size(), der->end(), key.begin());
  return key;
}

}  // namespace annolog::platform
