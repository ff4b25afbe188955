// Proof Key for Code Exchange (RFC 7636), method S256: whoever redeems a code shows the verifier
// whose digest went with the request for it. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace annolog::api::oidc {

std::string code_challenge(std::string_view verifier);

}  // namespace annolog::api::oidc
