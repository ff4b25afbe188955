#include "platform/seal.hpp"

#include <sodium.h>

#include <cstddef>

#include "platform/digest.hpp"
#include "platform/random.hpp"
#include "platform/sodium_bytes.hpp"

namespace annolog::platform {
namespace {

constexpr std::string_view kMagic("AS\x01", 3);
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kMagic.size() + kNonceBytes + kTagBytes == Sealer::kOverheadBytes);

// Two keys from one: that for the nonce must not be the one that encrypts.
Sha256Digest derive(const SubjectKey& key, std::string_view use) {
  return hmac_sha256(key.bytes, use);
}

std::string nonce_for(const SubjectKey& key, SealContext context, std::string_view plaintext) {
  // The length before the context keeps ("ab", "c") and ("a", "bc") apart.
  std::string input = std::to_string(context.text.size()) + ":";
  input.append(context.text).append(plaintext);
  const Sha256Digest mac = hmac_sha256(derive(key, "annolog seal nonce v1"), input);
  sodium_memzero(input.data(), input.size());
  return std::string(as_bytes_view(mac).substr(0, kNonceBytes));
}

std::string associated_data(SealContext context) {
  return std::string(kMagic).append(context.text);
}

}  // namespace

std::string Sealer::seal(const SubjectKey& key, SealContext context, std::string_view plaintext) {
  ensure_sodium();
  const std::string nonce = nonce_for(key, context, plaintext);
  const std::string bound = associated_data(context);
  std::string sealed = std::string(kMagic) + nonce;
  const std::size_t head = sealed.size();
  sealed.resize(head + plaintext.size() + kTagBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      reinterpret_cast<unsigned char*>(sealed.data()) + head, nullptr, bytes_of(plaintext),
      plaintext.size(), bytes_of(bound), bound.size(), nullptr, bytes_of(nonce),
      derive(key, "annolog seal key v1").data());
  return sealed;
}

std::optional<std::string> Sealer::open(const SubjectKey& key, SealContext context,
                                        std::string_view sealed) {
  if (sealed.size() < kOverheadBytes || !sealed.starts_with(kMagic)) return std::nullopt;
  ensure_sodium();
  const std::string_view nonce = sealed.substr(kMagic.size(), kNonceBytes);
  const std::string_view body = sealed.substr(kMagic.size() + kNonceBytes);
  const std::string bound = associated_data(context);
  std::string plaintext(body.size() - kTagBytes, '\0');
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(plaintext.data()), nullptr, nullptr, bytes_of(body),
      body.size(), bytes_of(bound), bound.size(), bytes_of(nonce),
      derive(key, "annolog seal key v1").data());
  if (failed != 0) return std::nullopt;
  return plaintext;
}

}  // namespace annolog::platform
