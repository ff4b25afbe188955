// Sign-ins at the OpenID Connect provider that are under way. The browser that began one keeps a
// signed cookie; `state`, `nonce` and the code verifier follow from it for whoever has the
// service's key, so that any node can end what another one began and nothing secret but the cookie
// travels. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/timestamp.hpp"
#include "platform/signed_text.hpp"

namespace annolog::api {

struct OidcAttempt {
  std::string id;         // random
  std::string return_to;  // where the browser goes in the end
};

class OidcAttempts {
 public:
  static constexpr std::chrono::seconds kLifetime{600};

  // The keyring outlives this.
  explicit OidcAttempts(const platform::Keyring& keyring)
      : key_(keyring.lasting(platform::Purpose::oidc)), signer_(keyring) {}

  static OidcAttempt begin(std::string return_to);

  std::string cookie_of(const OidcAttempt& attempt, Timestamp now) const;
  // Nothing: none that this service gave, or too old.
  std::optional<OidcAttempt> open(std::string_view cookie, Timestamp now) const;

  std::string state(const OidcAttempt& attempt) const { return derived("state", attempt); }
  std::string nonce(const OidcAttempt& attempt) const { return derived("nonce", attempt); }
  // Fit for RFC 7636: 43 characters of base64url.
  std::string verifier(const OidcAttempt& attempt) const { return derived("verifier", attempt); }

 private:
  std::string derived(std::string_view what, const OidcAttempt& attempt) const;

  platform::MacKey key_;
  platform::TextSigner signer_;
};

}  // namespace annolog::api
