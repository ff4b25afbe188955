#include "api/personal_data.hpp"

#include <stdexcept>

#include "domain/support/text.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/name_text.hpp"
#include "platform/random.hpp"
#include "platform/seal.hpp"

namespace annolog::api {

std::string PersonalData::new_key() {
  std::string id = platform::random_base62(22);
  keys_.create(id);
  return id;
}

void PersonalData::forget(const std::string& key_id) { keys_.erase(key_id); }

Sealed PersonalData::seal(const std::string& key_id, std::string_view text) const {
  const auto key = keys_.get(key_id);
  if (!key) throw std::runtime_error("the key to seal with is gone");
  return {key_id, platform::to_base64url(platform::Sealer::seal(*key, {key_id}, text))};
}

std::optional<std::string> open_sealed(const PersonKeys& keys, const Sealed& sealed) {
  const auto key = keys.get(sealed.key_id);
  if (!key) return std::nullopt;
  const auto bytes = platform::from_base64url(sealed.base64);
  if (!bytes) return std::nullopt;
  return platform::Sealer::open(*key, {sealed.key_id}, *bytes);
}

std::string PersonalData::digest(std::string_view name) const {
  return exact_digest(platform::case_folded(trimmed(name)));
}

std::string PersonalData::exact_digest(std::string_view text) const {
  const auto key = keyring_.lasting(platform::Purpose::username);
  return platform::to_hex(platform::as_bytes_view(platform::hmac_sha256(key, text)));
}

}  // namespace annolog::api
