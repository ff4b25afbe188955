#include "platform/signed_text.hpp"

#include <stdexcept>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::platform {

std::string TextSigner::sign(Purpose purpose, std::string_view payload) const {
  const SigningKey signing = keyring_->current(purpose);
  std::string token = signing.kid + "." + to_base64url(payload);
  const Sha256Digest mac = hmac_sha256(signing.key, token);
  token.append(".").append(to_base64url(as_bytes_view(mac)));
  if (token.size() > kMaxTokenBytes) throw std::length_error("text too long to sign");
  return token;
}

std::optional<std::string> TextSigner::verify(Purpose purpose, std::string_view token) const {
  if (token.size() > kMaxTokenBytes) return std::nullopt;
  const std::size_t kid_end = token.find('.');
  const std::size_t mac_dot = token.rfind('.');
  if (kid_end == std::string_view::npos || mac_dot == kid_end) return std::nullopt;
  const auto key = keyring_->find(purpose, token.substr(0, kid_end));
  if (!key) return std::nullopt;
  const auto mac = from_base64url(token.substr(mac_dot + 1));
  const Sha256Digest expected = hmac_sha256(*key, token.substr(0, mac_dot));
  if (!mac || !constant_time_equal(*mac, as_bytes_view(expected))) return std::nullopt;
  return from_base64url(token.substr(kid_end + 1, mac_dot - kid_end - 1));
}

}  // namespace annolog::platform
