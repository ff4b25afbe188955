#include "workers/audit/signed_statement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/encoding.hpp"
#include "workers/audit/statements.hpp"

namespace annolog::workers {
namespace {

using nlohmann::json;

template <class Bytes>
std::optional<Bytes> bytes_from(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  const auto decoded = platform::from_base64url(found->get_ref<const std::string&>());
  Bytes bytes{};
  if (!decoded || decoded->size() != bytes.size()) return std::nullopt;
  std::copy(decoded->begin(), decoded->end(), bytes.begin());
  return bytes;
}

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool add_jwk(PublicKeys& keys, const json& jwk) {
  if (!jwk.is_object() || text_of(jwk, "kty") != "OKP" || text_of(jwk, "crv") != "Ed25519")
    return false;
  const auto key = bytes_from<platform::Ed25519PublicKey>(jwk, "x");
  if (key) keys.add(*key);
  return key.has_value();
}

}  // namespace

std::string hex_digest(std::string_view text) {
  return platform::to_hex(platform::as_bytes_view(platform::sha256(text)));
}

SignedStatement StatementSigner::sign(std::string statement) const {
  const auto signing = keyring_->current(platform::Purpose::checkpoint);
  const platform::Ed25519Key key(signing.key);
  const auto signature = key.sign(statement);
  return {std::move(statement), platform::key_id_of(key.public_key()),
          platform::to_base64url(platform::as_bytes_view(signature))};
}

platform::Ed25519PublicKey StatementSigner::public_key() const {
  return platform::Ed25519Key(keyring_->current(platform::Purpose::checkpoint).key).public_key();
}

void PublicKeys::add(const platform::Ed25519PublicKey& key) {
  keys_[platform::key_id_of(key)] = key;
}

std::optional<PublicKeys> PublicKeys::parse(std::string_view text) {
  PublicKeys keys;
  if (const auto key = platform::public_key_from_pem(text)) {
    keys.add(*key);
    return keys;
  }
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  const auto list = parsed.find("keys");
  if (list == parsed.end()) return add_jwk(keys, parsed) ? std::optional(keys) : std::nullopt;
  if (!list->is_array() || list->empty()) return std::nullopt;
  for (const json& jwk : *list)
    if (!add_jwk(keys, jwk)) return std::nullopt;
  return keys;
}

bool PublicKeys::hold_for(const SignedStatement& of) const {
  const auto decoded = platform::from_base64url(of.signature);
  platform::Ed25519Signature signature{};
  if (!decoded || decoded->size() != signature.size()) return false;
  std::copy(decoded->begin(), decoded->end(), signature.begin());
  const auto found = keys_.find(of.key_id);
  return found != keys_.end() && platform::signature_holds(found->second, of.statement, signature);
}

std::string unknown_key(std::string_view key_id) {
  return "key " + std::string(key_id) +
         ", which is none of those given: it can't be checked without it (keys may be rotated)";
}

std::optional<SignedStatement> parse_signed(std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  SignedStatement read{text_of(parsed, "statement"), text_of(parsed, "key_id"),
                       text_of(parsed, "signature")};
  if (read.statement.empty() || read.signature.empty()) return std::nullopt;
  return read;
}

}  // namespace annolog::workers
