#include "api/oidc/metadata.hpp"

#include <utility>

#include "api/oidc/endpoint_url.hpp"
#include "api/oidc/json_object.hpp"

namespace annolog::api::oidc {
namespace {

ProviderError not_understood(std::string reason) {
  return {ProviderError::Kind::not_understood, "the discovery document " + std::move(reason)};
}

// An issuer beyond this machine can't lead calls back into it.
bool may_be_called(const std::string& url, const std::string& issuer) {
  const UrlKind kind = url_kind(url);
  return kind == UrlKind::https ||
         (kind == UrlKind::plain_loopback && url_kind(issuer) == UrlKind::plain_loopback);
}

}  // namespace

std::string discovery_url(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

ProviderResult<Metadata> parse_metadata(std::string_view text, const std::string& issuer) {
  const auto document = parse_object(text);
  if (!document) return not_understood("is no JSON object");
  if (text_member(*document, "issuer") != issuer) return not_understood("is of another issuer");
  Metadata metadata;
  const std::pair<const char*, std::string*> endpoints[] = {
      {"authorization_endpoint", &metadata.authorization_endpoint},
      {"token_endpoint", &metadata.token_endpoint},
      {"jwks_uri", &metadata.jwks_uri},
  };
  for (const auto& [name, url] : endpoints) {
    *url = text_member(*document, name).value_or("");
    if (!may_be_called(*url, issuer)) {
      return not_understood("has no " + std::string(name) + " that may be called");
    }
  }
  // Basic is what a provider takes that does not say (Discovery, section 3).
  const auto methods = document->find("token_endpoint_auth_methods_supported");
  metadata.takes_basic = methods == document->end() || lists(*methods, "client_secret_basic");
  if (!metadata.takes_basic && !lists(*methods, "client_secret_post")) {
    return not_understood("offers no way to show a client secret");
  }
  return metadata;
}

}  // namespace annolog::api::oidc
