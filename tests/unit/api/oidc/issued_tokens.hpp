// ID tokens as a provider issues them, and as somebody else would like to; for tests, one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/oidc/id_token.hpp"
#include "tests/unit/api/oidc/signing_key.hpp"

namespace annolog::api::oidc {

inline constexpr Timestamp kNow{1'750'000'000'000};
inline constexpr std::int64_t kNowS = kNow.ms / 1000;
inline constexpr std::string_view kIssuer = "https://id.example/realm";
inline constexpr std::string_view kNonce = "n-0S6_WzA2Mj";
inline constexpr IdTokenExpectation kExpected{kIssuer, "annolog", kNonce, kNow};

// The provider's, r1 and e1 by their kids, and one that is not.
const SigningKey& rsa_key();
const SigningKey& ec_key();
const SigningKey& strange_key();

nlohmann::json published_rsa(const nlohmann::json& members = {{"kid", "r1"}, {"use", "sig"}});
nlohmann::json published_ec(const nlohmann::json& members = {{"kid", "e1"}, {"alg", "ES256"}});
KeySet key_set(const std::vector<nlohmann::json>& keys);

// With these changes; null takes a member away.
nlohmann::json header(const nlohmann::json& changes = nlohmann::json::object());
nlohmann::json body(const nlohmann::json& changes = nlohmann::json::object());
std::string good_rsa(const nlohmann::json& claims = body());
std::string good_ec(const nlohmann::json& claims = body());

// "ok", or the name of the error.
std::string outcome(std::string_view token, const KeySet& keys, Timestamp now = kNow);
// With the provider's two keys.
std::string outcome(std::string_view token, Timestamp now = kNow);

}  // namespace annolog::api::oidc
