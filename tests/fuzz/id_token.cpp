// What an OpenID Connect provider sends. First line: an ID token as it came; second and third:
// header and body of one that is signed properly whatever they say; fourth: a key set; the rest: a
// discovery document.
#include "api/oidc/metadata.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/api/oidc/issued_tokens.hpp"

namespace annolog::fuzz {
namespace {

using nlohmann::json;

void check_token(std::string_view token, const api::oidc::KeySet& keys) {
  const auto result = verify_id_token(token, keys, api::oidc::kExpected);
  if (!result) {
    require(to_string(result.error()) != "unknown", "a refusal has a word");
    return;
  }
  const std::string& sub = result.value().sub;
  require(!sub.empty() && sub.size() <= api::oidc::kMaxSubjectBytes, "it says who it is");
}

void check_signed(std::string_view header, std::string_view body) {
  static const api::oidc::KeySet keys = api::oidc::key_set({api::oidc::published_ec()});
  const json parsed = json::parse(header, nullptr, false);
  if (parsed.is_object()) check_token(api::oidc::ec_key().sign(parsed, body), keys);
}

}  // namespace

void try_input(std::string_view input) {
  static const api::oidc::KeySet own = api::oidc::key_set({api::oidc::published_ec()});
  const auto [token, after_token] = split(input);
  const auto [header, after_header] = split(after_token);
  const auto [body, after_body] = split(after_header);
  const auto [keys, document] = split(after_body);
  check_token(token, own);
  check_signed(header, body);
  if (const auto parsed = api::oidc::parse_key_set(keys)) check_token(token, *parsed);
  const auto metadata = api::oidc::parse_metadata(document, std::string(api::oidc::kIssuer));
  if (metadata)
    require(!metadata.value().token_endpoint.empty(), "a discovery document names its endpoints");
}

}  // namespace annolog::fuzz
