#include "platform/digest.hpp"

#include <openssl/evp.h>
#include <sodium.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace annolog::platform {
namespace {

// Throws rather than going on with a digest that means nothing.
void require(int ok, const char* what) {
  if (ok != 1) throw std::runtime_error(std::string("OpenSSL: ") + what + " failed");
}

detail::DigestContext start(const EVP_MD* kind) {
  detail::DigestContext context(EVP_MD_CTX_new());
  if (!context) throw std::bad_alloc();
  require(EVP_DigestInit_ex(context.get(), kind, nullptr), "digest init");
  return context;
}

template <class Digest>
Digest finish_and_restart(EVP_MD_CTX* context) {
  Digest digest;
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context, digest.data(), &size), "digest final");
  if (size != digest.size()) throw std::runtime_error("OpenSSL: unexpected digest size");
  // No type: the one that is already set.
  require(EVP_DigestInit_ex(context, nullptr, nullptr), "digest restart");
  return digest;
}

// Of a whole text. Each thread keeps one that is ready: to look an algorithm up takes several times
// as long as a short text. None is kept that failed.
template <class Hash>
auto digest_of(std::string_view bytes) {
  thread_local std::optional<Hash> ready;
  Hash hash = ready ? *std::exchange(ready, std::nullopt) : Hash();
  hash.update(bytes);
  const auto digest = hash.finish();
  ready = std::move(hash);
  return digest;
}

}  // namespace

void detail::DigestContextDelete::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(start(EVP_sha256())) {}
void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()), "digest update");
}
Sha256Digest Sha256::finish() { return finish_and_restart<Sha256Digest>(context_.get()); }

Md5::Md5() : context_(start(EVP_md5())) {}
void Md5::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()), "digest update");
}
Md5Digest Md5::finish() { return finish_and_restart<Md5Digest>(context_.get()); }

Sha256Digest sha256(std::string_view bytes) { return digest_of<Sha256>(bytes); }

Blake2bDigest blake2b(std::string_view bytes) {
  Blake2bDigest digest;
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return digest;
}

Md5Digest md5(std::string_view bytes) { return digest_of<Md5>(bytes); }

// By libsodium: for short texts it is several times faster than fetching an EVP_MAC each time.
Sha256Digest hmac_sha256(const MacKey& key, std::string_view bytes) {
  static_assert(crypto_auth_hmacsha256_KEYBYTES == 32 && crypto_auth_hmacsha256_BYTES == 32);
  Sha256Digest mac;
  crypto_auth_hmacsha256(mac.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size(), key.data());
  return mac;
}

bool constant_time_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace annolog::platform
