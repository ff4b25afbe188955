#include "tests/unit/api/oidc/signing_key.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <stdexcept>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api::oidc {
namespace {

using platform::to_base64url;

constexpr int kP256Bytes = 32;

void need(bool done) {
  if (!done) throw std::runtime_error("OpenSSL does not do what the test asks for");
}

std::string signing_input(const nlohmann::json& header, std::string_view payload) {
  return to_base64url(header.dump()) + "." + to_base64url(payload);
}

// r and s with full length, as RFC 7518 (section 3.4) wants them.
std::string raw_ecdsa(const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(
      d2i_ECDSA_SIG(nullptr, &data, static_cast<long>(der.size())), &ECDSA_SIG_free);
  need(pair != nullptr);
  std::array<unsigned char, 2 * kP256Bytes> raw{};
  need(BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), raw.data(), kP256Bytes) == kP256Bytes);
  need(BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), &raw[kP256Bytes], kP256Bytes) == kP256Bytes);
  return {raw.begin(), raw.end()};
}

}  // namespace

void SigningKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

SigningKey::SigningKey(evp_pkey_st* key) : key_(key) { need(key != nullptr); }

SigningKey SigningKey::rsa(unsigned bits) { return SigningKey(EVP_RSA_gen(bits)); }
SigningKey SigningKey::ec(const char* curve) {
  return SigningKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
}

bool SigningKey::is_rsa() const { return EVP_PKEY_is_a(key_.get(), "RSA") == 1; }

std::string SigningKey::number(const char* name, int bytes) const {
  BIGNUM* read = nullptr;
  need(EVP_PKEY_get_bn_param(key_.get(), name, &read) == 1);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> value(read, &BN_free);
  std::string text(static_cast<std::size_t>(bytes == 0 ? BN_num_bytes(read) : bytes), '\0');
  BN_bn2binpad(read, reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size()));
  return to_base64url(text);
}

nlohmann::json SigningKey::published(const nlohmann::json& members) const {
  nlohmann::json key;
  if (is_rsa()) {
    key = {{"kty", "RSA"},
           {"n", number(OSSL_PKEY_PARAM_RSA_N, 0)},
           {"e", number(OSSL_PKEY_PARAM_RSA_E, 0)}};
  } else {
    const int bytes = (EVP_PKEY_get_bits(key_.get()) + 7) / 8;
    key = {{"kty", "EC"},
           {"crv", bytes == kP256Bytes ? "P-256" : "P-384"},
           {"x", number(OSSL_PKEY_PARAM_EC_PUB_X, bytes)},
           {"y", number(OSSL_PKEY_PARAM_EC_PUB_Y, bytes)}};
  }
  key.update(members);
  return key;
}

std::string SigningKey::pem() const {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
  need(PEM_write_bio_PUBKEY(memory.get(), key_.get()) == 1);
  const char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string SigningKey::signature(const std::string& alg, std::string_view input) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_PKEY_CTX* options = nullptr;  // belongs to the context
  const EVP_MD* digest = alg.ends_with("512") ? EVP_sha512() : EVP_sha256();
  need(EVP_DigestSignInit(context.get(), &options, digest, nullptr, key_.get()) == 1);
  if (is_rsa() && alg.starts_with("PS")) {
    need(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1);
    need(EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  const auto* data = reinterpret_cast<const unsigned char*>(input.data());
  std::string made(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
  std::size_t size = made.size();
  need(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size, data,
                      input.size()) == 1);
  made.resize(size);
  return is_rsa() ? made : raw_ecdsa(made);
}

std::string SigningKey::sign(const nlohmann::json& header, std::string_view payload) const {
  const auto alg = header.find("alg");
  const std::string named = alg != header.end() && alg->is_string() ? alg->get<std::string>() : "";
  const std::string input = signing_input(header, payload);
  return input + "." + to_base64url(signature(named, input));
}

std::string sign_hs256(std::string_view secret, const nlohmann::json& header,
                       std::string_view payload) {
  const std::string input = signing_input(header, payload);
  std::array<unsigned char, 32> mac{};
  need(HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(input.data()), input.size(), mac.data(),
            nullptr) != nullptr);
  return input + "." + to_base64url(platform::as_bytes_view(mac));
}

}  // namespace annolog::api::oidc
