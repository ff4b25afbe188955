// A provider's private key in tests: signs whatever it is told to. By OpenSSL alone, so that what
// verifies is checked by something else than itself. One thread.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace annolog::api::oidc {

class SigningKey {
 public:
  static SigningKey rsa(unsigned bits = 2048);
  static SigningKey ec(const char* curve = "P-256");

  // As a member of a key set, with these members beside its own.
  nlohmann::json published(const nlohmann::json& members) const;
  // The public half as OpenSSL writes it.
  std::string pem() const;
  // The compact token. The signature is that of the header's alg where this key can make it, else
  // RS256's or ES256's, whatever the header says.
  std::string sign(const nlohmann::json& header, std::string_view payload) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  explicit SigningKey(evp_pkey_st* key);
  bool is_rsa() const;
  std::string number(const char* name, int bytes) const;
  std::string signature(const std::string& alg, std::string_view input) const;

  std::unique_ptr<evp_pkey_st, Free> key_;
};

// The compact token with an HMAC by this secret.
std::string sign_hs256(std::string_view secret, const nlohmann::json& header,
                       std::string_view payload);

}  // namespace annolog::api::oidc
