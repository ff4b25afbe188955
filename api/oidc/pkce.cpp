#include "api/oidc/pkce.hpp"

#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api::oidc {

std::string code_challenge(std::string_view verifier) {
  return platform::to_base64url(platform::as_bytes_view(platform::sha256(verifier)));
}

}  // namespace annolog::api::oidc
