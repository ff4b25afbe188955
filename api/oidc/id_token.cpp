#include "api/oidc/id_token.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/outcome/try.hpp>

#include "api/http/text.hpp"
#include "api/oidc/json_object.hpp"
#include "api/oidc/signature.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api::oidc {
namespace {

using Json = nlohmann::json;

constexpr double kLastSecond = 253'402'300'799;  // 9999-12-31T23:59:59Z

struct Header {
  Algorithm algorithm = Algorithm::rs256;
  std::optional<std::string> kid;
};

// The decoded parts; the payload is not looked into before the signature is known to hold.
struct Parts {
  std::string header;
  std::string payload;
};

IdTokenOutcome<Parts> split(std::string_view token) {
  if (std::ranges::count(token, '.') != 2) return IdTokenError::malformed;
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  auto header = platform::from_base64url(token.substr(0, first));
  auto payload = platform::from_base64url(token.substr(first + 1, last - first - 1));
  const auto signature = platform::from_base64url(token.substr(last + 1));
  if (!header || !payload || !signature) return IdTokenError::malformed;
  return Parts{std::move(*header), std::move(*payload)};
}

// Members that would bring or name a key by themselves (jwk, jku, x5c...) count for nothing; keys
// come from the provider's own set alone.
IdTokenOutcome<Header> read_header(std::string_view text) {
  const auto json = parse_object(text);
  if (!json) return IdTokenError::malformed;
  // Whatever crit names must be understood (RFC 7515, section 4.1.11); nothing of it is.
  if (json->contains("crit")) return IdTokenError::malformed;
  if (json->contains("kid") && !(*json)["kid"].is_string()) return IdTokenError::malformed;
  // Tokens of other purposes name their type (RFC 8725, section 3.11), e.g. at+jwt.
  const auto typ = text_member(*json, "typ");
  if (json->contains("typ") && !(typ && http::equals_ignoring_case(*typ, "JWT"))) {
    return IdTokenError::malformed;
  }
  const auto algorithm = algorithm_named(text_member(*json, "alg").value_or(""));
  if (!algorithm) return IdTokenError::bad_algorithm;
  return Header{*algorithm, text_member(*json, "kid")};
}

IdTokenOutcome<const PublicKey*> key_for(const Header& header, const KeySet& keys) {
  const PublicKey* found = nullptr;
  bool named = false;
  for (const PublicKey& key : keys) {
    if (header.kid && key.kid != header.kid) continue;
    named = header.kid.has_value();
    if (!key.fits(header.algorithm)) continue;
    if (found != nullptr) return IdTokenError::unknown_key;
    found = &key;
  }
  if (found != nullptr) return found;
  return named ? IdTokenError::bad_algorithm : IdTokenError::unknown_key;
}

// Seconds, perhaps with a fraction (RFC 7519, NumericDate).
std::optional<Timestamp> time_member(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end() || !found->is_number()) return std::nullopt;
  const auto seconds = found->get<double>();
  if (!(seconds >= 0 && seconds <= kLastSecond)) return std::nullopt;
  return Timestamp{static_cast<std::int64_t>(std::floor(seconds * 1000))};
}

// Section 3.1.3.7, steps 3 to 5.
std::optional<IdTokenError> check_audience(const Json& claims, std::string_view client_id) {
  const auto aud = claims.find("aud");
  if (aud == claims.end()) return IdTokenError::bad_claims;
  const Json all = aud->is_array() ? *aud : Json::array({*aud});
  if (!std::ranges::all_of(all, [](const Json& one) { return one.is_string(); })) {
    return IdTokenError::bad_claims;
  }
  if (!lists(all, client_id)) return IdTokenError::wrong_audience;
  const auto azp = claims.find("azp");
  if (azp == claims.end()) {
    if (all.size() > 1) return IdTokenError::wrong_audience;
    return std::nullopt;
  }
  if (!azp->is_string()) return IdTokenError::bad_claims;
  if (azp->get_ref<const std::string&>() != client_id) return IdTokenError::wrong_audience;
  return std::nullopt;
}

std::optional<IdTokenError> check_times(const Json& claims, Timestamp now) {
  const auto exp = time_member(claims, "exp");
  const auto iat = time_member(claims, "iat");
  const auto nbf = claims.contains("nbf") ? time_member(claims, "nbf") : Timestamp{0};
  if (!exp || !iat || !nbf) return IdTokenError::bad_claims;
  if (now - *exp >= kClockToleranceMs) return IdTokenError::expired;
  if (std::max(*iat, *nbf) - now > kClockToleranceMs) return IdTokenError::from_future;
  if (now - *iat > kMaxIdTokenAgeMs) return IdTokenError::too_old;
  return std::nullopt;
}

std::optional<IdTokenError> check_claims(const Json& claims, const IdTokenExpectation& expected) {
  const auto iss = text_member(claims, "iss");
  if (!iss) return IdTokenError::bad_claims;
  if (*iss != expected.issuer) return IdTokenError::wrong_issuer;
  if (const auto error = check_audience(claims, expected.client_id)) return error;
  if (const auto error = check_times(claims, expected.now)) return error;
  const auto nonce = text_member(claims, "nonce");
  if (!nonce) return IdTokenError::bad_claims;
  if (expected.nonce.empty() || !platform::constant_time_equal(*nonce, expected.nonce)) {
    return IdTokenError::wrong_nonce;
  }
  return std::nullopt;
}

// Some providers write the boolean as a string.
bool is_true(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  return found != claims.end() && (*found == true || *found == "true");
}

}  // namespace

std::string_view to_string(IdTokenError error) {
  switch (error) {
    case IdTokenError::too_large: return "too_large";
    case IdTokenError::malformed: return "malformed";
    case IdTokenError::bad_algorithm: return "bad_algorithm";
    case IdTokenError::unknown_key: return "unknown_key";
    case IdTokenError::bad_signature: return "bad_signature";
    case IdTokenError::bad_claims: return "bad_claims";
    case IdTokenError::wrong_issuer: return "wrong_issuer";
    case IdTokenError::wrong_audience: return "wrong_audience";
    case IdTokenError::wrong_nonce: return "wrong_nonce";
    case IdTokenError::expired: return "expired";
    case IdTokenError::from_future: return "from_future";
    case IdTokenError::too_old: return "too_old";
  }
  return "unknown";
}

IdTokenOutcome<IdTokenClaims> verify_id_token(std::string_view token, const KeySet& keys,
                                              const IdTokenExpectation& expected) {
  if (token.size() > kMaxIdTokenBytes) return IdTokenError::too_large;
  BOOST_OUTCOME_TRY(const Parts parts, split(token));
  BOOST_OUTCOME_TRY(const Header header, read_header(parts.header));
  BOOST_OUTCOME_TRY(const PublicKey* key, key_for(header, keys));
  if (!signature_holds(std::string(token), *key, header.algorithm)) {
    return IdTokenError::bad_signature;
  }
  const auto claims = parse_object(parts.payload);
  if (!claims) return IdTokenError::malformed;
  if (const auto error = check_claims(*claims, expected)) return *error;
  auto sub = text_member(*claims, "sub");
  if (!sub || sub->empty() || sub->size() > kMaxSubjectBytes) return IdTokenError::bad_claims;
  auto email = text_member(*claims, "email");
  const bool email_verified = email && is_true(*claims, "email_verified");
  return IdTokenClaims{std::move(*sub), std::move(email), email_verified,
                       text_member(*claims, "name"), text_member(*claims, "preferred_username")};
}

}  // namespace annolog::api::oidc
