#include "api/oidc/signature.hpp"

#include <cjose/cjose.h>

#include <cassert>
#include <memory>
#include <string_view>

#include "platform/encoding.hpp"

namespace annolog::api::oidc {
namespace {

struct KeyRelease {
  void operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }
};
struct TokenRelease {
  void operator()(cjose_jws_t* token) const { cjose_jws_release(token); }
};

// Of cjose's errors none matters here: whatever went wrong, the signature was not seen to hold.
cjose_err* const kUnasked = nullptr;

// cjose takes an ES256 signature cut at its middle whatever its length, and numbers with leading
// zeros left out: other spellings of the same signature.
bool has_full_length(std::string_view token, const PublicKey& key) {
  const auto signature = platform::from_base64url(token.substr(token.rfind('.') + 1));
  return signature && signature->size() == key.signature_bytes;
}

}  // namespace

bool signature_holds(const std::string& token, const PublicKey& key, Algorithm algorithm) {
  assert(key.fits(algorithm));
  if (!has_full_length(token, key)) return false;
  // A key of its own for each call: cjose counts references without locks.
  const std::unique_ptr<cjose_jwk_t, KeyRelease> jwk(
      cjose_jwk_import(key.jwk.data(), key.jwk.size(), kUnasked));
  const std::unique_ptr<cjose_jws_t, TokenRelease> jws(
      cjose_jws_import(token.data(), token.size(), kUnasked));
  if (!jwk || !jws) return false;
  // cjose reads the header by itself: it must have read the algorithm that was judged.
  const char* read = cjose_header_get(cjose_jws_get_protected(jws.get()), "alg", kUnasked);
  if (read == nullptr || read != to_string(algorithm)) return false;
  return cjose_jws_verify(jws.get(), jwk.get(), kUnasked);
}

}  // namespace annolog::api::oidc
