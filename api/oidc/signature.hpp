// JSON Web Signatures (RFC 7515) with public keys, by cjose. Pure; any thread.
#pragma once

#include <string>

#include "api/oidc/key_set.hpp"

namespace annolog::api::oidc {

// Whether the compact token carries a signature with this key by this algorithm, which must fit the
// key. All three parts must be strict base64url and the header an object without double members.
bool signature_holds(const std::string& token, const PublicKey& key, Algorithm algorithm);

}  // namespace annolog::api::oidc
