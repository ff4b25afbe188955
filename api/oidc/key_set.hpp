// The public keys that a provider signs with: a JSON Web Key Set (RFC 7517), as far as the accepted
// algorithms can use it. Values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annolog::api::oidc {

// Of RFC 7518's list those that providers sign ID tokens with: RS256 must be known to all of them,
// ES256 and PS256 are what stricter profiles ask for.
enum class Algorithm { rs256, ps256, es256 };
// nullopt for all others: none, HS256...
std::optional<Algorithm> algorithm_named(std::string_view name);
std::string_view to_string(Algorithm algorithm);

struct PublicKey {
  enum class Type { rsa, p256 };

  Type type = Type::rsa;
  std::optional<std::string> kid;
  std::optional<std::string> alg;   // the only algorithm it is for, when it says so
  std::string jwk;                  // its public members alone
  std::size_t signature_bytes = 0;  // of every signature made with it

  bool fits(Algorithm algorithm) const;
};
using KeySet = std::vector<PublicKey>;

// Leaves out what can't verify here, as RFC 7517 (section 5) asks: encryption keys, other types and
// curves, RSA below 2048 bits, broken ones. nullopt when the text is no key set at all.
std::optional<KeySet> parse_key_set(std::string_view text);

}  // namespace annolog::api::oidc
