#include "eventstore/kafka/key_wrapping.hpp"

#include <sodium.h>

#include <cstddef>
#include <stdexcept>
#include <tuple>

#include "eventstore/chain.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::string_view kMagic("AK\x01", 3);
constexpr std::size_t kNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kKeySize = std::tuple_size_v<SubjectKey>;
constexpr std::size_t kHeadSize = kMagic.size() + kNonceSize;
static_assert(kKeySize == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void fill_random(void* bytes, std::size_t size) {
  // Thread-safe by itself, and a no-op after the first call.
  if (sodium_init() < 0) throw std::runtime_error("the system gives no random bytes");
  randombytes_buf(bytes, size);
}

std::string bound_to(std::string_view record_key) { return std::string(kMagic).append(record_key); }

}  // namespace

KeyWrapping::KeyWrapping(const SubjectKey& wrapping_key) : wrapping_key_(wrapping_key) {}

KeyWrapping::~KeyWrapping() { sodium_memzero(wrapping_key_.data(), wrapping_key_.size()); }

std::string KeyWrapping::wrap(std::string_view record_key, const SubjectKey& key) const {
  const std::string bound = bound_to(record_key);
  std::string wrapped(kMagic);
  wrapped.resize(kHeadSize + kKeySize + kTagSize);
  unsigned char* nonce = bytes_of(wrapped) + kMagic.size();
  fill_random(nonce, kNonceSize);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes_of(wrapped) + kHeadSize, nullptr, key.data(),
                                             key.size(), bytes_of(bound), bound.size(), nullptr,
                                             nonce, wrapping_key_.data());
  return wrapped;
}

std::optional<SubjectKey> KeyWrapping::unwrap(std::string_view record_key,
                                              std::string_view wrapped) const {
  if (wrapped.size() != kHeadSize + kKeySize + kTagSize || !wrapped.starts_with(kMagic))
    return std::nullopt;
  const std::string bound = bound_to(record_key);
  const std::string_view nonce = wrapped.substr(kMagic.size(), kNonceSize);
  const std::string_view body = wrapped.substr(kHeadSize);
  SubjectKey key{};
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(key.data(), nullptr, nullptr, bytes_of(body),
                                                 body.size(), bytes_of(bound), bound.size(),
                                                 bytes_of(nonce), wrapping_key_.data()) != 0)
    return std::nullopt;
  return key;
}

SubjectKey random_subject_key() {
  SubjectKey key{};
  fill_random(key.data(), key.size());
  return key;
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  fill_random(random.data(), random.size());
  return to_hex(random);
}

}  // namespace annolog::eventstore::kafka
