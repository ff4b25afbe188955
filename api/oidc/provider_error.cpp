#include "api/oidc/provider_error.hpp"

namespace annolog::api::oidc {

std::string_view to_string(ProviderError::Kind kind) {
  switch (kind) {
    case ProviderError::Kind::away: return "away";
    case ProviderError::Kind::code_refused: return "code_refused";
    case ProviderError::Kind::client_refused: return "client_refused";
    case ProviderError::Kind::not_understood: return "not_understood";
    case ProviderError::Kind::bad_token: return "bad_token";
  }
  return "unknown";
}

}  // namespace annolog::api::oidc
