#include "platform/signed_text.hpp"

#include <stdexcept>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::platform {

namespace {

// Neither kid nor payload has a NUL in it, so nothing that is bound can pass for something else.
Sha256Digest mac_of(const MacKey& key, std::string_view signed_part, std::string_view bound_to) {
  if (bound_to.empty()) return hmac_sha256(key, signed_part);
  std::string text;
  text.reserve(signed_part.size() + 1 + bound_to.size());
  text.append(signed_part).append(1, '\0').append(bound_to);
  return hmac_sha256(key, text);
}

}  // namespace

std::string TextSigner::sign(Purpose purpose, std::string_view payload,
                             std::string_view bound_to) const {
  const SigningKey signing = keyring_->current(purpose);
  std::string token = signing.kid + "." + to_base64url(payload);
  const Sha256Digest mac = mac_of(signing.key, token, bound_to);
  token.append(".").append(to_base64url(as_bytes_view(mac)));
  if (token.size() > kMaxTokenBytes) throw std::length_error("text too long to sign");
  return token;
}

std::optional<std::string> TextSigner::verify(Purpose purpose, std::string_view token,
                                              std::string_view bound_to) const {
  if (token.size() > kMaxTokenBytes) return std::nullopt;
  const std::size_t kid_end = token.find('.');
  const std::size_t mac_dot = token.rfind('.');
  if (kid_end == std::string_view::npos || mac_dot == kid_end) return std::nullopt;
  const auto key = keyring_->find(purpose, token.substr(0, kid_end));
  if (!key) return std::nullopt;
  const auto mac = from_base64url(token.substr(mac_dot + 1));
  const Sha256Digest expected = mac_of(*key, token.substr(0, mac_dot), bound_to);
  if (!mac || !constant_time_equal(*mac, as_bytes_view(expected))) return std::nullopt;
  return from_base64url(token.substr(kid_end + 1, mac_dot - kid_end - 1));
}

}  // namespace annolog::platform
