#include "api/oidc/key_set.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/oidc/json_object.hpp"
#include "platform/encoding.hpp"

namespace annolog::api::oidc {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMinModulusBytes = 256;   // 2048 bits (RFC 7518, section 3.3)
constexpr std::size_t kMaxModulusBytes = 1024;  // more only costs time
constexpr std::size_t kMaxExponentBytes = 8;
constexpr std::size_t kP256Bytes = 32;

struct Row {
  Algorithm algorithm;
  std::string_view name;
  PublicKey::Type type;
};
constexpr std::array kAlgorithms = {
    Row{Algorithm::rs256, "RS256", PublicKey::Type::rsa},
    Row{Algorithm::ps256, "PS256", PublicKey::Type::rsa},
    Row{Algorithm::es256, "ES256", PublicKey::Type::p256},
};

const Row& row_of(Algorithm algorithm) {
  return *std::ranges::find(kAlgorithms, algorithm, &Row::algorithm);
}

// Length of the big-endian number that the member stands for; 0 when it is none. Only strict
// base64url gets past here: cjose 0.6.2.1 aborts the process at some of what is not.
std::size_t number_bytes(const Json& key, const char* name) {
  const auto text = text_member(key, name);
  const auto bytes = text ? platform::from_base64url(*text) : std::nullopt;
  if (!bytes) return 0;
  const std::size_t first = bytes->find_first_not_of('\0');
  return first == std::string::npos ? 0 : bytes->size() - first;
}

bool is_for_verifying(const Json& key) {
  if (key.contains("use") && text_member(key, "use") != "sig") return false;
  return !key.contains("key_ops") || lists(key["key_ops"], "verify");
}

// Type, members and length of signatures; nothing when no accepted algorithm can use it.
std::optional<PublicKey> material_of(const Json& key) {
  const auto kty = text_member(key, "kty");
  if (kty == "RSA") {
    const std::size_t modulus = number_bytes(key, "n");
    const std::size_t exponent = number_bytes(key, "e");
    if (modulus < kMinModulusBytes || modulus > kMaxModulusBytes) return std::nullopt;
    if (exponent == 0 || exponent > kMaxExponentBytes) return std::nullopt;
    const Json jwk = {{"kty", "RSA"}, {"n", key["n"]}, {"e", key["e"]}};
    return PublicKey{PublicKey::Type::rsa, {}, {}, jwk.dump(), modulus};
  }
  if (kty == "EC" && text_member(key, "crv") == "P-256") {
    for (const char* coordinate : {"x", "y"}) {
      const std::size_t bytes = number_bytes(key, coordinate);
      if (bytes == 0 || bytes > kP256Bytes) return std::nullopt;
    }
    const Json jwk = {{"kty", "EC"}, {"crv", "P-256"}, {"x", key["x"]}, {"y", key["y"]}};
    return PublicKey{PublicKey::Type::p256, {}, {}, jwk.dump(), 2 * kP256Bytes};
  }
  return std::nullopt;
}

std::optional<PublicKey> public_key(const Json& key) {
  if (!key.is_object() || !is_for_verifying(key)) return std::nullopt;
  for (const char* name : {"kid", "alg"}) {
    if (key.contains(name) && !key[name].is_string()) return std::nullopt;
  }
  auto found = material_of(key);
  if (!found) return std::nullopt;
  found->kid = text_member(key, "kid");
  found->alg = text_member(key, "alg");
  return found;
}

}  // namespace

std::optional<Algorithm> algorithm_named(std::string_view name) {
  const auto* const row = std::ranges::find(kAlgorithms, name, &Row::name);
  if (row == kAlgorithms.end()) return std::nullopt;
  return row->algorithm;
}

std::string_view to_string(Algorithm algorithm) { return row_of(algorithm).name; }

bool PublicKey::fits(Algorithm algorithm) const {
  return type == row_of(algorithm).type && (!alg || *alg == to_string(algorithm));
}

std::optional<KeySet> parse_key_set(std::string_view text) {
  const auto document = parse_object(text);
  if (!document) return std::nullopt;
  const auto keys = document->find("keys");
  if (keys == document->end() || !keys->is_array()) return std::nullopt;
  KeySet set;
  for (const Json& key : *keys) {
    if (auto found = public_key(key)) set.push_back(std::move(*found));
  }
  return set;
}

}  // namespace annolog::api::oidc
