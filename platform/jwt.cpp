#include "platform/jwt.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "domain/support/number.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::platform {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxHeaderText = 512;
constexpr std::int64_t kLastSecond = 253'402'300'799;  // 9999-12-31T23:59:59Z

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Json> parse_object(std::string_view base64) {
  const auto text = from_base64url(base64);
  if (!text) return std::nullopt;
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::optional<std::string> text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::int64_t> whole_member(const Json& object, const char* name, std::int64_t max) {
  const auto found = object.find(name);
  // The parser makes every whole number that is not negative an unsigned one.
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(max)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// 0: the operator of the machine, who is no user (whose tokens are of a type of their own).
std::optional<UserId> user_id(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto value = number_from<std::uint64_t>(*text);  // takes no sign
  if (!value || *value > kMaxId) return std::nullopt;
  if (text->size() > 1 && text->front() == '0') return std::nullopt;
  return UserId{static_cast<std::int64_t>(*value)};
}

// Refuses every member but alg, kid and typ: crit, jku, jwk, x5u... can't steer the verification.
std::optional<JwtError> check_header(const Json& header) {
  for (const auto& [name, value] : header.items()) {
    if (name != "alg" && name != "kid" && name != "typ") return JwtError::malformed;
  }
  if (text_member(header, "alg") != "HS256") return JwtError::bad_algorithm;
  if (header.contains("typ") && text_member(header, "typ") != "JWT") return JwtError::malformed;
  return std::nullopt;
}

std::optional<Claims> claims_from(const Json& body) {
  const auto sub = user_id(text_member(body, "sub"));
  auto role = text_member(body, "role");
  auto jti = text_member(body, "jti");
  auto iss = text_member(body, "iss");
  auto typ = text_member(body, "typ");
  const auto gen = whole_member(body, "gen", kMaxId);
  const auto iat = whole_member(body, "iat", kLastSecond);
  const auto exp = whole_member(body, "exp", kLastSecond);
  if (!sub || !role || !jti || !iss || !typ || !gen || !iat || !exp) return std::nullopt;
  return Claims{*sub,
                std::move(*role),
                std::move(*jti),
                *gen,
                Timestamp{*iat * 1000},
                Timestamp{*exp * 1000},
                std::move(*iss),
                std::move(*typ)};
}

}  // namespace

std::string_view to_string(JwtError error) {
  switch (error) {
    case JwtError::too_large: return "too_large";
    case JwtError::malformed: return "malformed";
    case JwtError::bad_algorithm: return "bad_algorithm";
    case JwtError::unknown_key: return "unknown_key";
    case JwtError::bad_signature: return "bad_signature";
    case JwtError::bad_claims: return "bad_claims";
    case JwtError::wrong_issuer: return "wrong_issuer";
    case JwtError::wrong_type: return "wrong_type";
    case JwtError::expired: return "expired";
    case JwtError::from_future: return "from_future";
  }
  return "unknown";
}

Jwt::Jwt(const Keyring& keyring, std::string issuer)
    : keyring_(&keyring), issuer_(std::move(issuer)) {}

std::string Jwt::create(const Claims& claims) const {
  const SigningKey signing = keyring_->current(Purpose::jwt);
  const Json header = {{"alg", "HS256"}, {"kid", signing.kid}, {"typ", "JWT"}};
  const Json body = {{"sub", std::to_string(claims.sub.value)},
                     {"role", claims.role},
                     {"jti", claims.jti},
                     {"gen", claims.gen},
                     {"iat", claims.iat.ms / 1000},
                     {"exp", claims.exp.ms / 1000},
                     {"iss", issuer_},
                     {"typ", claims.typ}};
  std::string token = to_base64url(dump(header)) + "." + to_base64url(dump(body));
  const Sha256Digest mac = hmac_sha256(signing.key, token);
  return token.append(".").append(to_base64url(as_bytes_view(mac)));
}

JwtOutcome<SignedClaims> Jwt::check_signature(std::string_view token) const {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == std::string_view::npos || first == last || first > kMaxHeaderText) {
    return JwtError::malformed;
  }
  const auto header = parse_object(token.substr(0, first));
  if (!header) return JwtError::malformed;
  if (const auto error = check_header(*header)) return *error;
  auto kid = text_member(*header, "kid").value_or("");
  const auto key = keyring_->find(Purpose::jwt, kid);
  if (!key) return JwtError::unknown_key;
  // The body is not looked at before its signature is known to be good.
  const Sha256Digest expected = hmac_sha256(*key, token.substr(0, last));
  const auto mac = from_base64url(token.substr(last + 1));
  if (!mac || !constant_time_equal(*mac, as_bytes_view(expected))) return JwtError::bad_signature;
  const auto body = parse_object(token.substr(first + 1, last - first - 1));
  if (!body) return JwtError::malformed;
  auto claims = claims_from(*body);
  if (!claims) return JwtError::bad_claims;
  return SignedClaims{std::move(kid), std::move(*claims)};
}

JwtResult Jwt::judge(Claims claims, const JwtCheck& check) const {
  if (claims.iss != issuer_) return JwtError::wrong_issuer;
  if (claims.typ != check.typ) return JwtError::wrong_type;
  if (claims.iat - check.now > kFutureToleranceMs) return JwtError::from_future;
  if (check.now - claims.exp >= check.expiry_grace_ms) return JwtError::expired;
  return claims;
}

JwtResult Jwt::verify(std::string_view token, const JwtCheck& check) const {
  if (token.size() > kMaxTokenBytes) return JwtError::too_large;
  const Blake2bDigest digest = blake2b(token);
  if (auto known = verified_.find(digest)) {
    if (!keyring_->find(Purpose::jwt, known->kid)) return JwtError::unknown_key;
    return judge(std::move(known->claims), check);
  }
  auto signed_claims = check_signature(token);
  if (!signed_claims) return signed_claims.error();
  verified_.put(digest, signed_claims.value());
  return judge(std::move(signed_claims.value().claims), check);
}

}  // namespace annolog::platform
