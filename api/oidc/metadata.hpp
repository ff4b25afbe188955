// What a provider says of itself: the discovery document (OpenID Connect Discovery 1.0), as far as
// a sign-in needs it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/oidc/provider_error.hpp"

namespace annolog::api::oidc {

struct Metadata {
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  // How the client shows its secret: in the Authorization header, or else among the form's fields.
  bool takes_basic = true;
};

// Where the document of this issuer lies.
std::string discovery_url(std::string_view issuer);

// not_understood for a document of another issuer, or with endpoints that are missing, neither
// https nor of an issuer on this machine, or for other clients only.
ProviderResult<Metadata> parse_metadata(std::string_view text, const std::string& issuer);

}  // namespace annolog::api::oidc
