#include "tests/unit/api/oidc/issued_tokens.hpp"

namespace annolog::api::oidc {

using Json = nlohmann::json;

// Made once: an RSA key takes a while.
const SigningKey& rsa_key() {
  static const SigningKey key = SigningKey::rsa();
  return key;
}
const SigningKey& ec_key() {
  static const SigningKey key = SigningKey::ec();
  return key;
}
const SigningKey& strange_key() {
  static const SigningKey key = SigningKey::rsa();
  return key;
}

KeySet key_set(const std::vector<Json>& keys) {
  return parse_key_set(Json{{"keys", keys}}.dump()).value();
}
Json published_rsa(const Json& members) { return rsa_key().published(members); }
Json published_ec(const Json& members) { return ec_key().published(members); }

Json header(const Json& changes) {
  Json all = {{"alg", "RS256"}, {"kid", "r1"}, {"typ", "JWT"}};
  all.merge_patch(changes);
  return all;
}
Json body(const Json& changes) {
  Json all = {{"iss", kIssuer},     {"aud", "annolog"},
              {"sub", "person-1"},  {"nonce", kNonce},
              {"iat", kNowS},       {"exp", kNowS + 300},
              {"email", "a@b.org"}, {"email_verified", true},
              {"name", "Anna"},     {"preferred_username", "anna"}};
  all.merge_patch(changes);
  return all;
}
std::string good_rsa(const Json& claims) { return rsa_key().sign(header(), claims.dump()); }
std::string good_ec(const Json& claims) {
  return ec_key().sign(header({{"alg", "ES256"}, {"kid", "e1"}}), claims.dump());
}

std::string outcome(std::string_view token, const KeySet& keys, Timestamp now) {
  IdTokenExpectation expected = kExpected;
  expected.now = now;
  const auto result = verify_id_token(token, keys, expected);
  return std::string(result ? "ok" : to_string(result.error()));
}
std::string outcome(std::string_view token, Timestamp now) {
  static const KeySet keys = key_set({published_rsa(), published_ec()});
  return outcome(token, keys, now);
}

}  // namespace annolog::api::oidc
